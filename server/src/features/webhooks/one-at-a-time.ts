/**
 * Runs `work` when asked, never twice at once: whoever asks while it runs makes it run once more afterwards, and several
 * who ask at the same time are served by one run.
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
