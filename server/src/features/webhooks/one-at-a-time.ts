/**
 * Runs `work` when asked, but never twice at once. A request during a run causes one more run afterwards; several such
 * requests share that run.
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
