import { LiveMessage, readLive } from '@portal/contract/live.ts'
import { createParser } from 'eventsource-parser'
import { API_BASE } from './call.ts'

interface StreamOptions {
  token: string
  lastEventId: string | undefined
  /** Aborting this signal ends the stream. */
  signal: AbortSignal
  /** Called for everything that arrives, even a comment. */
  onSign: () => void
  onMessage: (message: LiveMessage, id: string | undefined) => void
}

/** Thrown when the server answers without opening a stream. */
export class NoStream extends Error {
  readonly status: number
  readonly retryAfterMs: number

  constructor({ status, headers }: Response) {
    super(`No stream: ${status}`)
    this.status = status
    // A proxy may send a date instead of seconds.
    this.retryAfterMs = (Number(headers.get('retry-after')) || 0) * 1_000
  }
}

/** Reads one stream to its end. It uses fetch, because the browser's EventSource sends no token in a header. */
export async function readStream({ token, lastEventId, signal, onSign, onMessage }: StreamOptions): Promise<void> {
  const parser = createParser({
    onEvent({ data, id }) {
      const { data: message } = LiveMessage.safeParse(JSON.parse(data))
      if (message) onMessage(message, id)
    },
  })
  const headers = new Headers({ accept: 'text/event-stream', authorization: `Bearer ${token}` })
  if (lastEventId) headers.set('last-event-id', lastEventId)
  const response = await fetch(`${API_BASE}${readLive.path}`, { headers, cache: 'no-store', signal })
  if (!response.ok || !response.body) throw new NoStream(response)
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onSign()
    parser.feed(decoder.decode(value, { stream: true }))
  }
}
