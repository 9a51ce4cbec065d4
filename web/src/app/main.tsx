import './styles.css'
import { type ReactNode, StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { dropEarlyCalls } from '../api/early-calls.ts'
import { createQueryClient } from '../api/query-client.ts'
import { App } from './app.tsx'
import { hasSiteData } from './has-site-data.ts'
import { loadFontLate } from './late-font.ts'
import { NoSiteData } from './no-site-data.tsx'
import { noteReload } from './page-crash.tsx'
import { createAppRouter } from './routes.tsx'

// Reading the code and starting the app are separate tasks. Between them a slow phone can react to the person.
setTimeout(() => {
  if (!hasSiteData()) {
    draw(<NoSiteData />)
    return
  }
  noteReload()
  const router = createAppRouter(createQueryClient())
  // The app listens only when it is drawn. Without this line, the router would not notice if the person went back before then.
  router.listen()
  // The app is drawn when the page's files have arrived. Until then the document shows what it knows of the page.
  void router.load().finally(() => {
    dropEarlyCalls()
    draw(<App router={router} />)
    loadFontLate()
  })
})

/** Draws in a transition, which draws in pieces. Between them a slow phone can react to the person. */
function draw(app: ReactNode) {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no element #root')
  startTransition(() => createRoot(root).render(<StrictMode>{app}</StrictMode>))
}
