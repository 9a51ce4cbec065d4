import { lazy, Suspense, useEffect, useState } from 'react'
import { answerDemands } from '../api/demands.ts'

// Not before it is needed: most visits are never asked.
const ConfirmDialog = lazy(async () => ({
  default: (await import('../features/accounts/second-factor/confirm-dialog.tsx')).ConfirmDialog,
}))

/** Asks over whatever page is open, and lets the call that made the server ask go on. */
export function ConfirmAgain({ onSecondFactor }: { onSecondFactor: () => void }) {
  const [answer, setAnswer] = useState<((isConfirmed: boolean) => void) | null>(null)
  useEffect(
    () =>
      answerDemands({
        confirm: () => new Promise((resolve) => setAnswer(() => resolve)),
        setUpSecondFactor: onSecondFactor,
      }),
    [onSecondFactor],
  )
  if (!answer) return null

  function handleAnswer(isConfirmed: boolean) {
    answer?.(isConfirmed)
    setAnswer(null)
  }

  return (
    <Suspense>
      <ConfirmDialog onAnswer={handleAnswer} />
    </Suspense>
  )
}
