import type { VerifiedSession } from '@portal/contract/accounts.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import { LogOut, X } from 'lucide-react'
import { useId } from 'react'
import { UnreadCount } from '../../features/inbox/unread-count.tsx'
import { Link } from '../../router/link.tsx'
import { May } from '../../session/may.tsx'
import { useSeesPayments } from '../../session/sees-payments.ts'
import { Brand } from '../../ui/brand.tsx'
import { Button } from '../../ui/button.tsx'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'
import { Avatar } from './avatar.tsx'
import { BUSINESS, INTEGRATIONS, isOpenTo, WORK } from './entries.ts'

interface SidebarProps {
  session: VerifiedSession | undefined
  onSignOut: () => void
  /** Only the drawer sets this. Called when the person presses Close or chooses an entry. */
  onClose?: () => void
}

export function Sidebar({ session, onSignOut, onClose }: SidebarProps) {
  return (
    <div className="flex h-full flex-col pb-[env(safe-area-inset-bottom)]">
      <div className="flex h-15 shrink-0 items-center justify-between px-4">
        <Brand />
        {onClose && (
          <span className="-mr-2 flex">
            <ThemeToggle />
            <Button variant="ghost" size="icon" aria-label="Close menu" icon={<X aria-hidden />} onClick={onClose} />
          </span>
        )}
      </div>
      <nav aria-label="Main" className="flex flex-1 flex-col gap-4 overflow-y-auto px-3 py-2">
        <Entries title="Work" entries={WORK} onChoose={onClose} />
        <Entries title="Integrations" entries={INTEGRATIONS} onChoose={onClose} />
        <Entries title="Business" entries={BUSINESS} onChoose={onClose} />
      </nav>
      <div className="border-t border-line p-3">
        <div className="flex min-h-12 items-center gap-2.5 px-2">
          <Avatar name={session?.businessName} />
          <div className="min-w-0">
            <Person session={session} />
            <p className="text-xs break-all text-muted lg:hidden">{session?.partnerId}</p>
          </div>
        </div>
        <button
          type="button"
          onClick={onSignOut}
          className="mt-1 flex h-9 w-full items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-ink pointer-coarse:h-11"
        >
          <LogOut aria-hidden className="size-4.5 shrink-0" strokeWidth={1.75} />
          Sign out
        </button>
      </div>
    </div>
  )
}

interface EntriesProps {
  title: string
  entries: typeof WORK | typeof INTEGRATIONS | typeof BUSINESS
  onChoose: (() => void) | undefined
}

function Entries({ title, entries, onChoose }: EntriesProps) {
  const titleId = useId()
  const seesPayments = useSeesPayments()
  const open = entries.filter((entry) => isOpenTo(entry, seesPayments))
  return (
    <div role="group" aria-labelledby={titleId} className="flex flex-col gap-0.5">
      <p id={titleId} className="px-2.5 pb-1 text-xs text-faint">
        {title}
      </p>
      {open.map(({ label, link, Icon, least, ...entry }) => (
        <May key={label} least={least}>
          <Link
            {...link}
            onClick={onChoose}
            className="flex h-8.5 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-brand-tint aria-[current=page]:text-brand-ink pointer-coarse:h-11"
          >
            <Icon aria-hidden className="size-4.5 shrink-0" strokeWidth={1.75} />
            {label}
            {'news' in entry && <UnreadCount of={entry.news} />}
          </Link>
        </May>
      ))}
    </div>
  )
}

/** Who is signed in, and for which business. Somebody without a name is shown by email address. */
function Person({ session }: { session: VerifiedSession | undefined }) {
  if (!session) return null
  const { personName, businessName, partnerEmail, role } = session
  const name = personName === businessName ? partnerEmail : personName
  return (
    <>
      <p className="truncate font-medium" title={name}>
        {name}
      </p>
      <p className="line-clamp-2 text-xs text-muted wrap-anywhere" title={businessName}>
        {ROLE_NAMES[role]} · <span>{businessName}</span>
      </p>
    </>
  )
}
