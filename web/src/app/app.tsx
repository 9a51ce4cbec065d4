import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { createQueryClient } from '../api/query-client.ts'
import { keepSession } from '../session/keep-session.ts'
import { Toaster } from '../ui/toaster.tsx'
import { focusHeadingAfterNavigation } from './focus-heading.ts'
import { paths } from './paths.ts'
import { createAppRouter } from './routes.tsx'

export function App() {
  const [queryClient] = useState(createQueryClient)
  const [router] = useState(createAppRouter)

  useEffect(() => focusHeadingAfterNavigation(router), [router])
  useEffect(
    () =>
      keepSession(queryClient, {
        async onEnd() {
          const signedInMatch = router.state.matches.some((match) => match.routeId === '/signed-in')
          if (signedInMatch) await router.navigate({ ...paths.login, replace: true })
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
