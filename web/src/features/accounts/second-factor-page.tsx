import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { onwardFrom } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { useLocation } from '../../router/router-view.tsx'
import { sessionQuery } from '../../session/session.queries.ts'
import { signOut } from '../../session/sign-out.ts'
import { buttonClass } from '../../ui/button.tsx'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import { hasFactor, secondFactorQuery } from './second-factor/second-factor.queries.ts'
import { SecondFactorCard } from './second-factor/second-factor-card.tsx'

/** The page that a person without a second factor gets if an owner requires a second factor of everybody. */
export function SecondFactorPage() {
  const { data: factor } = useQuery(secondFactorQuery())
  const { data: session } = useQuery({ ...sessionQuery(), enabled: false })
  const location = useLocation()
  const [hasCodes, setHasCodes] = useState(false)
  const isDone = factor !== undefined && (hasFactor(factor) || !factor.is_required) && !hasCodes

  return (
    <AccountFrame
      title="Set up a second factor"
      text={
        factor?.is_required !== false &&
        `${session?.businessName ?? 'Your business'} requires everybody to have one. Setting it up takes a minute.`
      }
      footer={
        <button type="button" className={textLinkClass} onClick={() => void signOut()}>
          Sign out
        </button>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {isDone && (
          <Link {...onwardFrom(location)} className={buttonClass('primary')}>
            {location.state.next ? 'Continue' : 'Go to the dashboard'}
          </Link>
        )}
        <SecondFactorCard onCodes={setHasCodes} />
      </div>
    </AccountFrame>
  )
}
