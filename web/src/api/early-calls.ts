/** The calls that the document's script began before the app's code arrived (`web/src/document/start.ts`). */
export interface EarlyCalls {
  /** The token that they were sent with. */
  token: string | null
  /** By method and address. */
  answers: Map<string, Promise<Response>>
}

declare global {
  interface Window {
    earlyCalls?: EarlyCalls
  }
}

/** The answer to this call if the document has begun it for the same session. Nobody gets it twice. */
export function takeEarlyCall(call: string, token: string | null): Promise<Response> | undefined {
  const { earlyCalls } = window
  if (earlyCalls?.token !== token) return undefined
  const answer = earlyCalls.answers.get(call)
  earlyCalls.answers.delete(call)
  return answer
}

/** Forgets the calls that the page's loader has not taken: what a later page asks must be as new as that page. */
export function dropEarlyCalls() {
  delete window.earlyCalls
}
