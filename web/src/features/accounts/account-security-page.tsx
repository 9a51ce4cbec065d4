import { useQuery } from '@tanstack/react-query'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { May } from '../../session/may.tsx'
import { sessionQuery } from '../../session/session.queries.ts'
import { BackLink, PageHeader } from '../../ui/page-header.tsx'
import { AccessCard } from './access-card.tsx'
import { accessQuery } from './accounts.queries.ts'
import { RequireOfEverybody } from './second-factor/require-of-everybody.tsx'
import { secondFactorQuery } from './second-factor/second-factor.queries.ts'
import { SecondFactorCard } from './second-factor/second-factor-card.tsx'

export function startAccountSecurity({ queryClient }: PageStart) {
  startQuery(queryClient, secondFactorQuery())
  startQuery(queryClient, accessQuery())
}

/** The second factor, and everything that can get into the account (D128, D130). */
export function AccountSecurityPage() {
  const { data: session } = useQuery({ ...sessionQuery(), enabled: false })
  return (
    <div className="max-w-3xl">
      <PageHeader
        title="Security"
        description="How you sign in, and everything that can get in."
        back={<BackLink {...paths.profile}>Profile Settings</BackLink>}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <SecondFactorCard>
          <May least="owner">
            <RequireOfEverybody businessName={session?.businessName ?? 'your business'} />
          </May>
        </SecondFactorCard>
        <AccessCard />
      </div>
    </div>
  )
}
