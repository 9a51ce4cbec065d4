import type { VerifiedSession } from '@portal/contract/accounts.ts'
import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react'

/** Few partners ever see these notices, so their code is not part of every page. */
const CrmNotices = lazy(async () => ({ default: (await import('../../features/sync/crm-notices.tsx')).CrmNotices }))

const Announcement = lazy(async () => ({
  default: (await import('../../features/accounts/announcement.tsx')).Announcement,
}))

const AgreementNotice = lazy(async () => ({
  default: (await import('../../features/accounts/agreement-notice.tsx')).AgreementNotice,
}))

const HEIGHT_KEY = 'notices_height'

/**
 * What the lender or the portal tells everybody, above each page. Until the session tells what there is, the notices have
 * the height that they had last, so that they do not push the page down.
 */
export function Notices({ session }: { session: VerifiedSession | undefined }) {
  const [lastHeight] = useState(() => Number(localStorage.getItem(HEIGHT_KEY)))
  const room = <div style={{ height: `${lastHeight}px` }} />
  if (!session) return room
  const isAboutCrm = session.hold !== null || session.hiddenRecords > 0 || session.crmTakesNone
  return (
    <Suspense fallback={room}>
      <Measured>
        {isAboutCrm && <CrmNotices session={session} />}
        {session.announcement && <Announcement announcement={session.announcement} />}
        {session.agreement && <AgreementNotice agreement={session.agreement} />}
      </Measured>
    </Suspense>
  )
}

function Measured({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const height = ref.current?.offsetHeight ?? 0
    if (height > 0) localStorage.setItem(HEIGHT_KEY, String(height))
    else localStorage.removeItem(HEIGHT_KEY)
  })
  return (
    <div ref={ref} className="flow-root">
      {children}
    </div>
  )
}
