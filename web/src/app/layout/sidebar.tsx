import type { SignedInPartner } from '@portal/contract/accounts.ts'
import { Link } from '@tanstack/react-router'
import {
  BookOpen,
  Handshake,
  KeyRound,
  LayoutDashboard,
  LogOut,
  Settings,
  ShieldCheck,
  Users,
  UsersRound,
  Webhook,
  X,
} from 'lucide-react'
import { UnreadCount } from '../../features/inbox/unread-count.tsx'
import { May } from '../../session/may.tsx'
import { Brand } from '../../ui/brand.tsx'
import { Button } from '../../ui/button.tsx'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'
import { paths } from '../paths.ts'
import { Avatar } from './avatar.tsx'

/** An entry stays marked on the pages below it: Leads is marked on a lead's page. */
const ENTRIES = [
  { label: 'Dashboard', link: paths.dashboard, Icon: LayoutDashboard, least: 'viewer' },
  { label: 'Leads', link: paths.leads, Icon: Users, least: 'viewer', news: 'leads' },
  { label: 'Deals', link: paths.deals, Icon: Handshake, least: 'viewer', news: 'deals' },
  { label: 'Webhook', link: paths.webhook, Icon: Webhook, least: 'owner' },
  { label: 'API Keys', link: paths.apiKeys, Icon: KeyRound, least: 'owner' },
  { label: 'API Docs', link: paths.apiDocs, Icon: BookOpen, least: 'viewer' },
  { label: 'Team', link: paths.team, Icon: UsersRound, least: 'owner' },
  { label: 'Security Log', link: paths.security, Icon: ShieldCheck, least: 'owner' },
  { label: 'Profile Settings', link: paths.profile, Icon: Settings, least: 'viewer' },
] as const

interface SidebarProps {
  partner: SignedInPartner | undefined
  onSignOut: () => void
  /** Only the drawer sets this. Called when the person presses Close or chooses an entry. */
  onClose?: () => void
}

export function Sidebar({ partner, onSignOut, onClose }: SidebarProps) {
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-15 shrink-0 items-center justify-between px-4">
        <Brand />
        {onClose && (
          <span className="-mr-2 flex">
            <ThemeToggle />
            <Button variant="ghost" size="icon" aria-label="Close menu" icon={<X aria-hidden />} onClick={onClose} />
          </span>
        )}
      </div>
      <nav aria-label="Main" className="flex flex-1 flex-col gap-0.5 overflow-y-auto px-3 py-2">
        {ENTRIES.map(({ label, link, Icon, least, ...entry }) => (
          <May key={label} least={least}>
            <Link
              {...link}
              onClick={onClose}
              activeOptions={{ includeSearch: false }}
              className="flex h-9 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-brand-tint aria-[current=page]:text-brand-ink pointer-coarse:h-11"
            >
              <Icon aria-hidden className="size-4.5 shrink-0" strokeWidth={1.75} />
              {label}
              {'news' in entry && <UnreadCount of={entry.news} />}
            </Link>
          </May>
        ))}
      </nav>
      <div className="border-t border-line p-3">
        <div className="flex min-h-12 items-center gap-2.5 px-2">
          <Avatar name={partner?.businessName} />
          <div className="min-w-0">
            <p className="truncate font-medium" title={partner?.businessName}>
              {partner?.businessName}
            </p>
            <p className="truncate text-xs text-muted max-lg:hidden" title={partner?.partnerEmail}>
              {partner?.partnerEmail}
            </p>
            <p className="text-xs break-all text-muted lg:hidden">{partner?.partnerId}</p>
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
