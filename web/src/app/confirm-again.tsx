import { lazy, Suspense, useEffect, useState } from 'react'
import { answerDemands } from '../api/demands.ts'

// The dialog loads only when it is needed, because most visits never ask for confirmation.
const ConfirmDialog = lazy(async () => ({
  default: (await import('../features/accounts/second-factor/confirm-dialog.tsx')).ConfirmDialog,
}))

/**
 * Asks for confirmation in a dialog over the open page. The calls that need it then continue, or fail if the person
 * does not confirm.
 */
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
