import type { VerifiedSession } from '@portal/contract/accounts.ts'
import { Bell } from '../../features/inbox/bell.tsx'
import { Link } from '../../router/link.tsx'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'
import { paths } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { SearchBox } from './search-box.tsx'

export function TopBar({ session }: { session: VerifiedSession | undefined }) {
  return (
    <header className="print:hidden sticky top-0 z-10 border-b border-line bg-canvas">
      {/* This row is as wide as the page below it. */}
      <div className="mx-auto flex h-15 max-w-[90rem] items-center gap-2 px-4 sm:gap-3 sm:px-6 lg:px-8">
        <SearchBox />
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          <Bell />
          <span className="max-sm:hidden">
            <ThemeToggle />
          </span>
          <Link {...paths.profile} className="flex items-center gap-2 rounded-lg">
            <Avatar name={session?.businessName} />
            <span className="sr-only">{session?.businessName} Profile Settings</span>
            <span className="min-w-8 text-2xs whitespace-nowrap text-muted lg:hidden">
              {session && `…${session.partnerId.slice(-4)}`}
            </span>
          </Link>
        </div>
      </div>
    </header>
  )
}
