import './styles.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from '../api/query-client.ts'
import { App } from './app.tsx'
import { createAppRouter } from './routes.tsx'

// Reading the code and starting the app are tasks of their own, between which a slow phone can do something else.
setTimeout(() => {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no element #root')
  const router = createAppRouter(createQueryClient())
  // What is painted first is the page itself; until its files are there, the mark of index.html stays.
  void router.load().finally(() =>
    // In pieces, for the same reason.
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App router={router} />
        </StrictMode>,
      ),
    ),
  )
})
