/**
 * The functions that ask the person for what the server demands before it serves a call. The app registers these
 * functions.
 */
export interface Demands {
  /** Asks for the password or passkey again. Returns whether the person gave it. */
  confirm: () => Promise<boolean>
  /** Takes the person to the page where a second factor is set up. */
  setUpSecondFactor: () => void
}

let demands: Demands | undefined
let question: Promise<boolean> | undefined
/** Whether a second factor became due before the app was drawn. A page's loader calls the server that early. */
let isSecondFactorDue = false

export function answerDemands(answers: Demands): () => void {
  demands = answers
  if (isSecondFactorDue) leadToSecondFactor()
  return () => {
    if (demands === answers) demands = undefined
  }
}

/** Asks the person to confirm. Simultaneous calls share one question. */
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
