/**
 * Runs `work` after a call to `ask`, but never twice at once. Calls to `ask` during a run cause one more run
 * afterwards, however many calls there are.
 */
export function oneAtATime(
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): { ask(): void; idle(): Promise<void> } {
  let running: Promise<void> | undefined
  let isAsked = false

  async function run(): Promise<void> {
    while (isAsked) {
      isAsked = false
      await work().catch(onError)
    }
    running = undefined
  }

  return {
    ask() {
      isAsked = true
      running ??= run()
    },
    idle: () => running ?? Promise.resolve(),
  }
}
