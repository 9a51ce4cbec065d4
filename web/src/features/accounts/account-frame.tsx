import type { ReactNode } from 'react'
import { Brand } from '../../ui/brand.tsx'
import { usePageTitle } from '../../ui/tab-title.ts'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'

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
      <Pitch />
    </div>
  )
}

export const textLinkClass = 'rounded font-medium text-brand-ink underline-offset-4 hover:underline'

/** One referral from beginning to end. */
const STORY = [
  { day: 'Nov 3', what: 'Submitted', more: 'by Mia Harbour, to the lender at once', mark: 'bg-[#8f9bff]' },
  { day: 'Nov 4', what: 'Pre Qualified', more: 'after the lender called the applicant', mark: 'bg-[#f3c063]' },
  {
    day: 'Nov 6',
    what: 'Your turn',
    more: 'Callum, the lender',
    quote: 'Could you send the last three bank statements?',
    mark: 'bg-[#f3c063]',
  },
  { day: 'Nov 6', what: 'Answered', more: 'by Mia Harbour, 20 minutes later', mark: 'bg-[#8f9bff]' },
  { day: 'Nov 10', what: 'Approved', more: '$62,000, Working Capital', mark: 'bg-[#5fd6a0]' },
  { day: 'Nov 12', what: 'Funded', more: 'The loan has been paid out', mark: 'bg-[#5fd6a0]' },
]

/** A decorative picture beside the form on wide screens: what a partner sees of a referral. */
function Pitch() {
  return (
    <div
      className="m-3 hidden flex-col justify-center gap-10 overflow-hidden rounded-2xl bg-(--panel) p-12 text-white lg:flex"
      aria-hidden
    >
      <p className="max-w-md text-balance text-[1.75rem]/9 font-semibold tracking-tight">
        Refer a loan. Follow it until it is funded.
      </p>
      <div className="max-w-md rounded-xl bg-white/6 p-6">
        <p className="flex items-center justify-between gap-4 text-[0.9375rem] font-semibold">
          Bayside Commercial Kitchens
          <span className="rounded-md bg-[#5fd6a0]/15 px-2 py-0.5 text-xs font-medium text-[#8be9bd]">Funded</span>
        </p>
        <ol className="mt-5 grid gap-4 border-l border-white/15 pl-5">
          {STORY.map(({ day, what, more, quote, mark }) => (
            <li key={what} className="relative">
              <span
                className={`absolute top-1.5 -left-[1.46rem] size-2 rounded-full ring-4 ring-[color-mix(in_srgb,var(--panel),white_6%)] ${mark}`}
              />
              <p className="flex justify-between gap-4">
                <span className="font-medium">{what}</span>
                <span className="text-[0.8125rem] text-[#b9c0ea]">{day}</span>
              </p>
              <p className="text-[0.8125rem] text-[#b9c0ea]">{more}</p>
              {quote && <p className="mt-1.5 rounded-lg bg-white/8 px-3 py-2 text-[0.8125rem]">{quote}</p>}
            </li>
          ))}
        </ol>
      </div>
    </div>
  )
}
