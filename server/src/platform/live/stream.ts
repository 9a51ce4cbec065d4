import type { Writable } from 'node:stream'
import type { Hearing } from '@portal/contract/live.ts'

/** A reader with more unread data than this is cut off. The page resumes when it reads again. */
const BUFFERED_BYTES_MAX = 64 * 1_024
/** Proxies cut a connection that is silent for a minute. Some proxies cut it after half a minute. */
const COMMENT_EVERY_MS = 20_000
/** A reader that takes nothing for this long is cut off too. The kernel takes up to 4 MB before Node notices it. */
const STUCK_MS_MAX = 60_000

/** The person who has the page open. */
export interface Reader {
  partnerId: string
  personId: string
  hearing: Hearing
  /** Identifies the session when its validity is checked. */
  session: string
}

/**
 * One open page. Messages written before `begin` wait for it, so that no message is lost between the missed events and
 * the new ones.
 */
export class Stream {
  readonly reader: Reader
  readonly #response: Writable
  #stuckSince: number | undefined
  #waiting: string[] | undefined = []

  constructor(reader: Reader, response: Writable, onEnd: (stream: Stream) => void) {
    this.reader = reader
    this.#response = response
    const commenting = setInterval(() => this.#comment(), COMMENT_EVERY_MS)
    response.on('close', () => {
      clearInterval(commenting)
      onEnd(this)
    })
  }

  begin(missed: string): void {
    const text = missed + (this.#waiting ?? []).join('')
    this.#waiting = undefined
    this.#send(text)
  }

  write(text: string): void {
    if (this.#waiting) this.#waiting.push(text)
    else this.#send(text)
  }

  /**
   * Ends the stream. Cuts the connection instead if the reader has unread data, because the end of the stream would
   * wait behind that data. The page reconnects if it still has access.
   */
  end(): void {
    if (this.#response.writableLength > 0) this.cut()
    else this.#response.end()
  }

  cut(): void {
    this.#response.destroy()
  }

  #comment(): void {
    const now = performance.now()
    this.#stuckSince = this.#response.writableLength === 0 ? undefined : (this.#stuckSince ?? now)
    if (this.#stuckSince !== undefined && now - this.#stuckSince >= STUCK_MS_MAX) this.cut()
    else this.#send(':\n\n')
  }

  #send(text: string): void {
    if (text === '' || this.#response.writableEnded) return
    if (this.#response.writableLength > BUFFERED_BYTES_MAX) this.cut()
    else this.#response.write(text)
  }
}
