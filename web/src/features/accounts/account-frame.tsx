import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { Brand } from '../../ui/brand.tsx'
import { usePageTitle } from '../../ui/tab-title.ts'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'

/** As wide as the style `lg`. */
const WIDE = window.matchMedia('(width >= 64rem)')
// The form does not wait for the picture, and a phone does not load it. If its code does not load, the panel stays empty.
const Pitch = lazy(async () => {
  const code = await import('./pitch.tsx').catch(() => undefined)
  return { default: code?.Pitch ?? (() => null) }
})

interface AccountFrameProps {
  title: string
  text?: ReactNode
  /** A link to another screen, or a button, below the form. */
  footer?: ReactNode
  /** A button below the footer. Its height is kept also while it is empty. */
  another?: ReactNode
  children?: ReactNode
}

/** The frame of the screens without a sidebar, such as those for signing in and for mailed links. */
export function AccountFrame({ title, text, footer, another, children }: AccountFrameProps) {
  usePageTitle(title)
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex flex-col px-5 py-5 sm:px-8">
        <header className="flex h-10 items-center justify-between">
          <Brand />
          <ThemeToggle />
        </header>
        <main className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center py-10">
          <h1 tabIndex={-1} className="text-2xl/8 font-semibold">
            {title}
          </h1>
          {text && <p className="mt-1.5 text-muted">{text}</p>}
          {children && <div className="mt-7">{children}</div>}
          {footer && <p className="mt-6 text-center text-muted">{footer}</p>}
          {another !== undefined && <div className="mt-6 h-9 pointer-coarse:h-11">{another}</div>}
        </main>
      </div>
      <Picture />
    </div>
  )
}

export const textLinkClass = 'rounded font-medium text-brand-ink underline-offset-4 hover:underline'

export function BackToSignIn() {
  return (
    <Link {...paths.login} className={textLinkClass}>
      Back to sign in
    </Link>
  )
}

/** A picture beside the form on wide screens. */
function Picture() {
  const isWide = useSyncExternalStore(followWidth, () => WIDE.matches)
  return (
    <div
      className="m-3 hidden flex-col justify-center gap-10 overflow-hidden rounded-2xl bg-(--panel) p-12 text-white lg:flex"
      aria-hidden
    >
      {isWide && (
        <Suspense>
          <Pitch />
        </Suspense>
      )}
    </div>
  )
}

function followWidth(listener: () => void) {
  WIDE.addEventListener('change', listener)
  return () => WIDE.removeEventListener('change', listener)
}
