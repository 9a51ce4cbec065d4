import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { May } from '../../session/may.tsx'
import { sessionQuery } from '../../session/session.queries.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'

/** What a partner without leads does first (D128). */
export function FirstSteps() {
  const { data: session } = useQuery({ ...sessionQuery(), enabled: false })
  return (
    <Card title="Your first steps">
      <ol aria-label="Your first steps" className="grid gap-5">
        <Step number={1} title="Confirm your email address" isDone={session?.hasUnverifiedEmail === false}>
          Open the link in the mail that we sent you.
        </Step>
        <Step
          number={2}
          title="Submit your first lead"
          action={
            <May least="member">
              <Link {...paths.newLead} className={buttonClass('secondary', 'small', 'mt-2')}>
                Submit Your First Lead
              </Link>
            </May>
          }
        >
          The lender has it within seconds, and you follow here what happens to it.
        </Step>
        <Step number={3} title="Connect your systems, or invite a colleague">
          <May least="owner">
            <Link {...paths.apiKeys} className={textLinkClass}>
              Make an API key
            </Link>{' '}
            for your website or{' '}
            <Link {...paths.team} className={textLinkClass}>
              invite a person
            </Link>
            . The{' '}
          </May>
          <Link {...paths.apiDocs} className={textLinkClass}>
            API Docs
          </Link>{' '}
          have examples that run.
        </Step>
      </ol>
    </Card>
  )
}

interface StepProps {
  number: number
  title: string
  isDone?: boolean
  action?: ReactNode
  children: ReactNode
}

function Step({ number, title, isDone = false, action, children }: StepProps) {
  return (
    <li className="flex items-start gap-3">
      <span
        aria-hidden
        className="flex size-6 shrink-0 items-center justify-center rounded-full bg-brand-tint text-xs font-semibold text-brand-ink tabular-nums [&_svg]:size-3.5 [&_svg]:stroke-3"
      >
        {isDone ? <Check /> : number}
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p className="font-medium">
          {title}
          {isDone && <span className="font-normal text-muted"> · done</span>}
        </p>
        {!isDone && <p className="text-muted">{children}</p>}
        {action}
      </div>
    </li>
  )
}
