import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { useLocation } from '../../router/router-view.tsx'
import { sessionQuery } from '../../session/session.queries.ts'
import { signOut } from '../../session/sign-out.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { ConfirmEmailLine } from './confirm-email-line.tsx'
import { Keys } from './keys.tsx'
import { Notices } from './notices.tsx'
import { OfflineLine } from './offline-line.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

export function startLayout({ queryClient }: PageStart) {
  startQuery(queryClient, sessionQuery())
}

/** The frame around every page of a signed-in partner. */
export function Layout({ children }: { children: ReactNode }) {
  // The session is fetched before this is drawn. This query only reads it.
  const { data: session } = useQuery({ ...sessionQuery(), enabled: false })
  const [isAsking, setIsAsking] = useState(false)
  const [drawerFor, setDrawerFor] = useState<string | null>(null)
  const { pathname } = useLocation()
  // Navigation closes the drawer.
  const isDrawerOpen = drawerFor === pathname

  function handleSignOut() {
    setDrawerFor(null)
    setIsAsking(true)
  }

  return (
    <div className="min-h-dvh lg:pl-60 print:pl-0">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-lg bg-brand px-4 py-2 font-medium text-on-brand focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <aside className="fixed inset-y-0 left-0 z-20 hidden w-60 border-r border-line bg-sunken lg:block print:hidden">
        <Sidebar session={session} onSignOut={handleSignOut} />
      </aside>
      <TopBar session={session} />
      <ConfirmEmailLine />
      <OfflineLine />
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[90rem] px-4 pt-4 pb-[calc(var(--bottom-bar)+1.25rem)] sm:px-6 sm:pt-6 lg:px-8 lg:pb-20 print:p-0"
      >
        <Notices session={session} />
        {children}
      </main>
      <BottomBar isMenuOpen={isDrawerOpen} onMenu={() => setDrawerFor(pathname)} />
      <Drawer open={isDrawerOpen} onClose={() => setDrawerFor(null)} label="Menu">
        <Sidebar session={session} onSignOut={handleSignOut} onClose={() => setDrawerFor(null)} />
      </Drawer>
      {session && <Keys role={session.role} />}
      <ConfirmDialog
        open={isAsking}
        title="Sign Out"
        text="Are you sure you want to sign out? You will need to sign in again to access your account."
        confirmLabel="Sign Out"
        danger
        onConfirm={() => void signOut()}
        onClose={() => setIsAsking(false)}
      />
    </div>
  )
}
