import type { ReactNode } from 'react'
import { Brand } from '../../ui/brand.tsx'
import { usePageTitle } from '../../ui/tab-title.ts'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'

interface AccountFrameProps {
  title: string
  text?: ReactNode
  /** A link to another screen, or a button, below the form. */
  footer?: ReactNode
  children: ReactNode
}

/** The frame of the screens without a sidebar, such as those for signing in and for mailed links. */
export function AccountFrame({ title, text, footer, children }: AccountFrameProps) {
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
          <div className="mt-7">{children}</div>
          {footer && <p className="mt-6 text-center text-muted">{footer}</p>}
        </main>
      </div>
      <Pitch />
    </div>
  )
}

export const textLinkClass = 'rounded font-medium text-brand-ink underline-offset-4 hover:underline'

const STEPS = [
  { name: 'Submitted', detail: 'Your referral reaches the lender at once', mark: 'fill-[#8f9bff]' },
  { name: 'In review', detail: 'Every change of status, as it happens', mark: 'fill-[#f3c063]' },
  { name: 'Funded', detail: 'From first call to settlement in one place', mark: 'fill-[#5fd6a0]' },
]

/** A decorative picture beside the form on wide screens. */
function Pitch() {
  return (
    <div
      className="m-3 hidden flex-col justify-end overflow-hidden rounded-2xl bg-[#161a3d] p-12 text-white lg:flex"
      aria-hidden
    >
      <svg viewBox="0 0 480 300" preserveAspectRatio="xMinYMin" className="mb-auto max-h-[55dvh] w-full">
        <defs>
          <linearGradient id="pitch-line" x1="0" x2="1" y1="1" y2="0">
            <stop offset="0" stopColor="#6471f0" />
            <stop offset="1" stopColor="#5fd6a0" />
          </linearGradient>
          <linearGradient id="pitch-area" x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stopColor="#6471f0" stopOpacity="0.42" />
            <stop offset="1" stopColor="#6471f0" stopOpacity="0" />
          </linearGradient>
        </defs>
        {[60, 120, 180, 240].map((y) => (
          <line key={y} x1="0" x2="480" y1={y} y2={y} stroke="#fff" strokeOpacity="0.08" />
        ))}
        <path d="M0 252C70 246 92 206 150 200S238 168 280 132s96-34 200-92V300H0Z" fill="url(#pitch-area)" />
        <path
          d="M0 252C70 246 92 206 150 200S238 168 280 132s96-34 200-92"
          fill="none"
          stroke="url(#pitch-line)"
          strokeWidth="3"
          strokeLinecap="round"
        />
        <circle cx="150" cy="200" r="6" fill="#8f9bff" stroke="#161a3d" strokeWidth="3" />
        <circle cx="280" cy="132" r="6" fill="#f3c063" stroke="#161a3d" strokeWidth="3" />
        <circle cx="452" cy="57" r="6" fill="#5fd6a0" stroke="#161a3d" strokeWidth="3" />
      </svg>
      <p className="mt-8 max-w-md text-balance text-[1.75rem]/9 font-semibold tracking-tight">
        Refer a loan. Follow it until it is funded.
      </p>
      <ul className="mt-7 grid gap-4">
        {STEPS.map(({ name, detail, mark }) => (
          <li key={name} className="flex items-start gap-3">
            <svg viewBox="0 0 8 8" className="mt-1.5 size-2 shrink-0">
              <circle cx="4" cy="4" r="4" className={mark} />
            </svg>
            <span>
              <span className="font-medium">{name}</span>
              <span className="block text-[#b9c0ea]">{detail}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
