import type { SignIn } from '@portal/contract/account-forms.ts'
import { readDemo } from '@portal/contract/accounts.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/button.tsx'

export function demoQuery() {
  return queryOptions({
    queryKey: ['demo'],
    queryFn: ({ signal }) => call(readDemo, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Signs in with the demo account, if this portal has one. The sign-in comes from the server, never with the app's code. */
export function DemoSignIn({ isBusy, onUse }: { isBusy: boolean; onUse: (demo: SignIn) => void }) {
  const { data } = useQuery(demoQuery())
  const demo = data?.demo
  if (!demo) return null
  return (
    <Button variant="secondary" className="w-full" disabled={isBusy} onClick={() => onUse(demo)}>
      Use the demo account
    </Button>
  )
}
