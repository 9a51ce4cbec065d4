import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { onRoleChange } from '../api/role.ts'
import { dropEarlyForm } from '../document/early-form.ts'
import { keepLive } from '../live/keep-live.ts'
import type { Location } from '../router/address.ts'
import type { Router } from '../router/router.ts'
import { RouterView } from '../router/router-view.tsx'
import { forgetPerson } from '../session/forget-person.ts'
import { keepSession } from '../session/keep-session.ts'
import { onSeesPaymentsChange } from '../session/sees-payments.ts'
import { LateToaster } from '../ui/late-toaster.tsx'
import { watchUse } from '../ui/looked-at.ts'
import { toast } from '../ui/toast.ts'
import { rememberPage } from '../ui/way-back.ts'
import { ConfirmAgain } from './confirm-again.tsx'
import { focusHeading } from './focus-heading.ts'
import { nextOf, paths } from './paths.ts'

/** The toast is shown for a long time, because a person who was away may not look at once. */
const SESSION_END_SHOWN_MS = 8_000

export function App({ router }: { router: Router }) {
  const { queryClient } = router
  // Increases each time somebody else signs in from another tab. A new round draws every page from scratch.
  const [round, setRound] = useState(0)

  // A different role or right may open different pages.
  useEffect(() => onRoleChange((before) => before && void router.load()), [router])
  useEffect(
    () =>
      onSeesPaymentsChange((before) => {
        // What was not known before opened no page but that of payments, whose calls the server has answered.
        if (before === null) return
        queryClient.removeQueries({ queryKey: ['payments'] })
        void router.load()
      }),
    [queryClient, router],
  )
  useEffect(dropEarlyForm, [])
  useEffect(watchUse, [])
  useEffect(
    () =>
      keepSession(queryClient, {
        // The guards run again, so it does not matter which page is open or still loading.
        async onEnd(isRefused) {
          if (isRefused) toast.info('Your session has ended. Please sign in again.', SESSION_END_SHOWN_MS)
          await router.load()
          forgetPerson(queryClient)
        },
        // The page forgets everything that another person typed or saw.
        async onBeginElsewhere() {
          forgetPerson(queryClient)
          setRound((before) => before + 1)
          await router.load()
        },
      }),
    [queryClient, router],
  )
  // This effect comes after keepSession, which must be the first to hear that the session ended.
  useEffect(() => keepLive(queryClient), [queryClient])

  return (
    <QueryClientProvider client={queryClient}>
      <RouterView key={round} router={router} onDrawn={handleDrawn} />
      <ConfirmAgain onSecondFactor={() => void leadToSecondFactor(router)} />
      <LateToaster />
    </QueryClientProvider>
  )
}

function handleDrawn(to: Location, from: Location | undefined) {
  rememberPage(to)
  if (from && from.pathname !== to.pathname) focusHeading()
}

function leadToSecondFactor(router: Router): Promise<void> {
  return router.navigate({ ...paths.secondFactor, state: { next: nextOf(router.now().location) } })
}
