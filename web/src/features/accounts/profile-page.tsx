import { useQuery } from '@tanstack/react-query'
import { KeyRound, Mail, UserRound } from 'lucide-react'
import { failureDetail } from '../../api/failure.ts'
import { May } from '../../session/may.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { profileQuery } from './accounts.queries.ts'
import { EmailForm } from './email-form.tsx'
import { failedToLoadProfileText } from './failure-texts.ts'
import { NotificationsCard } from './notifications-card.tsx'
import { PasswordForm } from './password-form.tsx'
import { PersonalForm } from './personal-form.tsx'
import { RequireOfEverybody } from './second-factor/require-of-everybody.tsx'
import { SecondFactorCard } from './second-factor/second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

export function ProfilePage() {
  const profile = useQuery(profileQuery())
  return (
    <div className="max-w-3xl">
      <PageHeader title="Profile Settings" description="Your business, how we reach you, and your password." />
      {profile.isPending && <Spinner label="Loading profile" />}
      {profile.isError && !profile.data && (
        <Card>
          <Failure
            text={failedToLoadProfileText(profile.error)}
            detail={failureDetail(profile.error)}
            onRetry={() => void profile.refetch()}
          />
        </Card>
      )}
      {profile.data && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
          <Tabs
            label="Profile"
            tabs={[
              {
                value: 'personal',
                label: 'Personal Information',
                icon: <UserRound aria-hidden />,
                content: (
                  <Card
                    title="Personal Information"
                    action={
                      <span className="flex gap-2">
                        <Badge variant={profile.data.is_active ? 'success' : 'error'}>
                          {profile.data.is_active ? 'Active' : 'Inactive'}
                        </Badge>
                        <Badge variant={profile.data.email_verified ? 'success' : 'warning'}>
                          {profile.data.email_verified ? 'Email verified' : 'Email not verified'}
                        </Badge>
                      </span>
                    }
                  >
                    <PersonalForm profile={profile.data} />
                  </Card>
                ),
              },
              {
                value: 'email',
                label: 'Email Address',
                icon: <Mail aria-hidden />,
                content: (
                  <Card
                    title="Email Address"
                    description="You sign in with this address. We email a link to the new address. Once you open the link, we notify the old address."
                  >
                    <EmailForm email={profile.data.email} />
                  </Card>
                ),
              },
              {
                value: 'password',
                label: 'Change Password',
                icon: <KeyRound aria-hidden />,
                content: (
                  <Card title="Change Password" description="Your other sessions end when you change your password.">
                    <PasswordForm email={profile.data.email} />
                  </Card>
                ),
              },
            ]}
          />
          <NotificationsCard emailVerified={profile.data.email_verified} />
          <SecondFactorCard>
            <May least="owner">
              <RequireOfEverybody businessName={profile.data.business_name} />
            </May>
          </SecondFactorCard>
          <SessionsCard />
        </div>
      )}
    </div>
  )
}
