import { type LiveMessage, liveMessage } from '@portal/contract/live.ts'
import { NoStream, readStream } from '../api/read-stream.ts'
import { dropToken, readToken } from '../api/token.ts'

const RETRY_MS = 1_000
/** This limit is short, so that a page catches up soon after the server is back. */
const RETRY_MS_MAX = 4_000
const LOOK_EVERY_MS = 5_000
/** The server sends at least a comment every 20 seconds, so a stream that is silent for this long is dead. */
const SILENCE_MS_MAX = 45_000
/**
 * The page's first data is as old as the page. If the first stream begins later than this, it might not include all
 * events since the page opened.
 */
const FIRST_STREAM_MS_MAX = 10_000
/** How often a visible page without a stream fetches its data (D71). */
const ASK_EVERY_MS = 15_000
/** More ids than a stream repeats after a break. */
const IDS_KEPT_MAX = 4_000

/**
 * Follows the changes to the partner's data until `signal` aborts or the session has ended. Opens a new stream when one
 * ends. Each event is reported once, however often the server repeats it. Without a stream, a visible page gets
 * `stream.reset` every 15 seconds, because all its data may be old. A hidden page ends its stream when another page
 * becomes visible, because browsers keep only six connections to a server. The page's first data is from `startedAt`.
 */
export function follow(
  onMessage: (message: LiveMessage) => void,
  signal: AbortSignal,
  startedAt: number = Date.now(),
): void {
  const seen = new Set<string>()
  // Without it, hidden pages keep their streams.
  const tabs = 'BroadcastChannel' in window ? new BroadcastChannel('live') : undefined
  let lastEventId: string | undefined
  let isOpen = false
  let isResting = document.hidden
  let failures = 0
  let askedAt = startedAt
  let signAt = Date.now()
  /** Ends the present stream, or the wait before the next one. */
  let interrupting = new AbortController()

  function handleSign() {
    signAt = Date.now()
  }

  function handleMessage(message: LiveMessage, id: string | undefined) {
    failures = 0
    if (message.type === 'stream.opened') {
      const isFirst = lastEventId === undefined
      isOpen = true
      noteId(id)
      if (isFirst && Date.now() - startedAt > FIRST_STREAM_MS_MAX) tellReset()
      if (!isFirst) onMessage(message)
      return
    }
    if (id !== undefined && seen.has(id)) return
    noteId(id)
    onMessage(message)
  }

  function noteId(id: string | undefined) {
    if (id === undefined) return
    if (seen.size >= IDS_KEPT_MAX) for (const old of [...seen].slice(0, IDS_KEPT_MAX / 2)) seen.delete(old)
    seen.add(id)
    // Ids begin with their time. The newest id counts even if an older one arrives late.
    if (lastEventId === undefined || id > lastEventId) lastEventId = id
  }

  function tellReset() {
    askedAt = Date.now()
    const reset = liveMessage('stream.reset', null, new Date().toISOString())
    if (reset) onMessage(reset)
  }

  function look() {
    const now = Date.now()
    // This check also notices that the machine slept, because it compares clock times.
    if (!isResting && now - signAt > SILENCE_MS_MAX) interrupting.abort()
    if (!isOpen && !document.hidden && now - askedAt >= ASK_EVERY_MS) tellReset()
  }

  function handleReturn() {
    if (document.hidden) return
    isResting = false
    tabs?.postMessage('in front')
    if (!isOpen) interrupting.abort()
    look()
  }

  function handleOtherTab() {
    if (!document.hidden) return
    isResting = true
    interrupting.abort()
  }

  async function run() {
    while (!signal.aborted) {
      const token = readToken()
      if (token === null) return
      interrupting = new AbortController()
      let retryAfterMs = 0
      if (!isResting) {
        handleSign()
        // The first message sets this to 0. An answer without messages is not a stream.
        failures += 1
        try {
          const either = AbortSignal.any([signal, interrupting.signal])
          await readStream({ token, lastEventId, signal: either, onSign: handleSign, onMessage: handleMessage })
        } catch (error) {
          if (error instanceof NoStream) {
            // The loop ends if this was the present token. Otherwise another tab has signed in since.
            if (error.status === 401) dropToken(token)
            // If a second factor is missing, the page asks for one. After it is set up, a later request succeeds.
            retryAfterMs = error.status === 403 ? ASK_EVERY_MS : error.retryAfterMs
          }
        }
        isOpen = false
      }
      await pause(isResting ? undefined : Math.max(retryAfterMs, retryMs(failures)), interrupting.signal, signal)
    }
  }

  tabs?.addEventListener('message', handleOtherTab)
  document.addEventListener('visibilitychange', handleReturn)
  window.addEventListener('online', handleReturn)
  const looking = setInterval(look, LOOK_EVERY_MS)
  signal.addEventListener('abort', () => {
    clearInterval(looking)
    tabs?.close()
    document.removeEventListener('visibilitychange', handleReturn)
    window.removeEventListener('online', handleReturn)
  })
  void run()
}

/**
 * The wait before the next stream. After a stream that worked, it is short and random, so that not all pages return at
 * once.
 */
function retryMs(failures: number): number {
  if (failures === 0) return Math.random() * RETRY_MS
  return Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MS_MAX) * (0.5 + Math.random() / 2)
}

/** Waits for this time, or until one of the signals aborts. */
function pause(ms: number | undefined, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const either = AbortSignal.any(signals)
    if (either.aborted) resolve()
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
    either.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
