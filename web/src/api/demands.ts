/**
 * The demands that the server may make of the person before it serves a call. The app registers functions that meet
 * them.
 */
export interface Demands {
  /** Asks for the password or passkey again. Returns whether the person gave it. */
  confirm: () => Promise<boolean>
  /** Asks for a second factor, which the person has not set up yet. */
  setUpSecondFactor: () => void
}

let demands: Demands | undefined
let question: Promise<boolean> | undefined
/** A page's loader makes calls before the app is there. */
let isSecondFactorDue = false

export function answerDemands(answers: Demands): () => void {
  demands = answers
  if (isSecondFactorDue) leadToSecondFactor()
  return () => {
    if (demands === answers) demands = undefined
  }
}

/** Several simultaneous calls wait for one question. */
export async function confirmAgain(): Promise<boolean> {
  question ??= demands?.confirm().finally(() => {
    question = undefined
  })
  return (await question) ?? false
}

export function leadToSecondFactor() {
  isSecondFactorDue = demands === undefined
  demands?.setUpSecondFactor()
}
