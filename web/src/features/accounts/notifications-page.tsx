import { useQuery } from '@tanstack/react-query'
import { paths } from '../../app/paths.ts'
import { BackLink, PageHeader } from '../../ui/page-header.tsx'
import { profileQuery } from './accounts.queries.ts'
import { AgreementCard } from './agreement-card.tsx'
import { NotificationsCard } from './notifications-card.tsx'

/** Which mails the person gets, and when (D73, D128), and the lender's agreement (D113). */
export function NotificationsPage() {
  const { data: profile } = useQuery(profileQuery())
  return (
    <div className="max-w-3xl">
      <PageHeader
        title="Notifications"
        description="Emails about your leads and deals. Emails about the security of your account are always sent."
        back={<BackLink {...paths.profile}>Profile Settings</BackLink>}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <NotificationsCard emailVerified={profile?.email_verified !== false} />
        <AgreementCard />
      </div>
    </div>
  )
}
