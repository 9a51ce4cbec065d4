import './styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createAppRouter } from './routes.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element #root')
const router = createAppRouter()
// What is painted first is the page itself; until its files are there, the mark of index.html stays.
void router.load().finally(() =>
  createRoot(root).render(
    <StrictMode>
      <App router={router} />
    </StrictMode>,
  ),
)
