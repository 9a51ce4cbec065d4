import { Handshake, LayoutDashboard, Menu, Plus, Users } from 'lucide-react'
import { isAt } from '../../router/address.ts'
import { Link } from '../../router/link.tsx'
import { useLocation } from '../../router/router-view.tsx'
import { May } from '../../session/may.tsx'
import { paths } from '../paths.ts'

interface BottomBarProps {
  isMenuOpen: boolean
  onMenu: () => void
}

const entryClass =
  'flex flex-col items-center justify-center gap-0.5 rounded-lg text-2xs font-medium text-muted -outline-offset-2 aria-[current=page]:text-brand-ink [&>svg]:size-5'

/** The main pages within a thumb's reach, on screens without the sidebar. */
export function BottomBar({ isMenuOpen, onMenu }: BottomBarProps) {
  const isOnNew = isAt(useLocation(), paths.newLead.to)
  return (
    <nav
      aria-label="Shortcuts"
      className="fixed inset-x-0 bottom-0 z-20 grid h-(--bottom-bar) auto-cols-fr grid-flow-col border-t border-line bg-surface pr-[env(safe-area-inset-right)] pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] lg:hidden print:hidden"
    >
      <Link {...paths.dashboard} className={entryClass}>
        <LayoutDashboard aria-hidden strokeWidth={1.75} />
        Home
      </Link>
      {/* The form of a new lead has an entry of its own here. */}
      <Link {...paths.leads} {...(isOnNew && { 'aria-current': false })} className={entryClass}>
        <Users aria-hidden strokeWidth={1.75} />
        Leads
      </Link>
      <May least="member">
        <Link {...paths.newLead} className={entryClass}>
          <Plus aria-hidden className="-mt-0.5 size-6! rounded-full bg-brand p-1 text-on-brand" strokeWidth={2.5} />
          New
        </Link>
      </May>
      <Link {...paths.deals} className={entryClass}>
        <Handshake aria-hidden strokeWidth={1.75} />
        Deals
      </Link>
      <button type="button" aria-haspopup="dialog" aria-expanded={isMenuOpen} onClick={onMenu} className={entryClass}>
        <Menu aria-hidden strokeWidth={1.75} />
        More
      </button>
    </nav>
  )
}
