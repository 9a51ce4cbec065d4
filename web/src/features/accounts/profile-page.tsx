import { useQuery } from '@tanstack/react-query'
import { BellRing, ChevronRight, KeyRound, ShieldCheck, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { chooseSingleKeys, useSingleKeys } from '../../ui/single-keys.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { profileQuery } from './accounts.queries.ts'
import { EmailForm } from './email-form.tsx'
import { failedToLoadProfileText } from './failure-texts.ts'
import { PasswordForm } from './password-form.tsx'
import { PersonalForm } from './personal-form.tsx'

export function startProfile({ queryClient }: PageStart) {
  startQuery(queryClient, profileQuery())
}

export function ProfilePage() {
  const profile = useQuery(profileQuery())
  const hasSingleKeys = useSingleKeys()
  return (
    <div className="max-w-3xl">
      <PageHeader title="Profile Settings" description="Your business, how we reach you, and your password." />
      {profile.isPending && <Spinner label="Loading profile" />}
      {profile.isError && !profile.data && (
        <Card>
          <LoadFailure text={failedToLoadProfileText(profile.error)} query={profile} />
        </Card>
      )}
      {profile.data && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
          <Tabs
            label="Profile"
            tabs={[
              {
                label: 'Personal Information',
                icon: <UserRound aria-hidden />,
                content: (
                  <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
                    <Card
                      title="Personal Information"
                      action={
                        <span className="flex flex-wrap justify-end gap-2">
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
                    <Card
                      title="Email Address"
                      description="You sign in with this address. We email a link to the new address. Once you open the link, we notify the old address."
                    >
                      <EmailForm />
                    </Card>
                  </div>
                ),
              },
              {
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
          <Card title="Keyboard" description="Press ? on any page to see all keys.">
            <Checkbox
              label="Single keys go to pages and rows"
              hint="Turn this off if you dictate, or press keys by accident. It counts for this browser."
              checked={hasSingleKeys}
              onChange={(event) => chooseSingleKeys(event.target.checked)}
            />
          </Card>
          <nav aria-label="More settings" className="grid gap-3 sm:grid-cols-2">
            <SettingsLink
              to={paths.accountSecurity}
              icon={<ShieldCheck aria-hidden />}
              title="Security"
              text="Second factor, passkeys, sessions, and everything that can get in."
            />
            <SettingsLink
              to={paths.notifications}
              icon={<BellRing aria-hidden />}
              title="Notifications"
              text="Which emails you get about your leads and deals, and when."
            />
          </nav>
        </div>
      )}
    </div>
  )
}

interface SettingsLinkProps {
  to: typeof paths.accountSecurity | typeof paths.notifications
  icon: ReactNode
  title: string
  text: string
}

function SettingsLink({ to, icon, title, text }: SettingsLinkProps) {
  return (
    <Link
      {...to}
      className="frame flex items-center gap-3 p-4 hover:bg-hover [&_svg]:size-5 [&_svg]:flex-none [&_svg]:text-muted"
    >
      {icon}
      <span className="min-w-0 grow">
        <span className="block font-medium text-ink">{title}</span>
        <span className="block text-[0.8125rem] text-muted">{text}</span>
      </span>
      <ChevronRight aria-hidden />
    </Link>
  )
}
