import './styles.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from '../api/query-client.ts'
import { App } from './app.tsx'
import { createAppRouter } from './routes.tsx'

// Reading the code and starting the app are separate tasks. Between them a slow phone can do something else.
setTimeout(() => {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no element #root')
  const router = createAppRouter(createQueryClient())
  // The first thing painted is the page itself. Until its files arrive, the mark of index.html stays.
  void router.load().finally(() =>
    // This is done in pieces, for the same reason.
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App router={router} />
        </StrictMode>,
      ),
    ),
  )
})
