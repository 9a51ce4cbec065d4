import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { createQueryClient } from '../api/query-client.ts'
import { keepSession } from '../session/keep-session.ts'
import { Toaster } from '../ui/toaster.tsx'
import { rememberPages } from '../ui/way-back.ts'
import { focusHeadingAfterNavigation } from './focus-heading.ts'
import { createAppRouter } from './routes.tsx'

export function App() {
  const [queryClient] = useState(createQueryClient)
  const [router] = useState(createAppRouter)

  useEffect(() => focusHeadingAfterNavigation(router), [router])
  useEffect(() => rememberPages(router), [router])
  useEffect(
    () =>
      keepSession(queryClient, {
        // The guards look again, so that it does not matter which page is open or still on its way.
        async onEnd() {
          await router.invalidate()
          queryClient.clear()
        },
        async onBeginElsewhere() {
          await router.invalidate()
          await queryClient.resetQueries({ predicate: (query) => query.queryKey[0] !== 'session' })
        },
      }),
    [queryClient, router],
  )

  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toaster />
    </QueryClientProvider>
  )
}
