import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createQueryClient } from '../api/query-client.ts'
import { App } from '../app/app.tsx'
import { createAppRouter } from '../app/routes.tsx'

/** Opens the whole app at an address, as a browser would. */
export function openApp(path: string) {
  window.history.replaceState(null, '', path)
  render(<App router={createAppRouter(createQueryClient())} />)
  return userEvent.setup()
}
