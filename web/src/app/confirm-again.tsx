import { useEffect, useState } from 'react'
import { answerDemands } from '../api/demands.ts'
import { brokenText, Failure } from '../api/failure.ts'
import { onTokenChange, readPersonId } from '../api/token.ts'
import type { ConfirmDialog } from '../features/accounts/second-factor/confirm-dialog.tsx'

interface Question {
  Dialog: typeof ConfirmDialog
  answer: (isConfirmed: boolean) => void
}

/**
 * Asks for confirmation in a dialog over the open page. The calls that need it then continue, or fail if the person
 * does not confirm.
 */
export function ConfirmAgain({ onSecondFactor }: { onSecondFactor: () => void }) {
  const [question, setQuestion] = useState<Question | null>(null)
  useEffect(
    () =>
      answerDemands({
        async confirm() {
          const Dialog = await loadDialog()
          return new Promise((answer) => setQuestion({ Dialog, answer }))
        },
        setUpSecondFactor: onSecondFactor,
      }),
    [onSecondFactor],
  )
  // Only the person who was asked may answer. Otherwise the call would continue in somebody else's name.
  useEffect(() => {
    if (!question) return
    const askedOf = readPersonId()
    return onTokenChange(({ token }) => {
      if (token !== null && readPersonId() === askedOf) return
      question.answer(false)
      setQuestion(null)
    })
  }, [question])
  if (!question) return null

  const { Dialog, answer } = question
  function handleAnswer(isConfirmed: boolean) {
    answer(isConfirmed)
    setQuestion(null)
  }

  return <Dialog onAnswer={handleAnswer} />
}

/** Loads the dialog only when it is needed, because most visits never ask for confirmation. */
async function loadDialog(): Promise<typeof ConfirmDialog> {
  try {
    const code = await import('../features/accounts/second-factor/confirm-dialog.tsx')
    return code.ConfirmDialog
  } catch (cause) {
    throw new Failure(0, brokenText(), { code: 'NOT_LOADED', cause })
  }
}
