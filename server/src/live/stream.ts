import type { ServerResponse } from 'node:http'
import type { Role } from '@portal/contract/roles.ts'

/** A reader with more unread data than this is cut off. The page resumes when it reads again. */
const BUFFERED_BYTES_MAX = 64 * 1_024
/** Proxies cut a connection that is silent for a minute. Some proxies cut it after half a minute. */
const COMMENT_EVERY_MS = 20_000

/** The person who has the page open. */
export interface Reader {
  partnerId: string
  personId: string
  role: Role
  /** Identifies the session when its validity is checked. */
  session: string
}

/**
 * One open page. Messages written before `begin` wait for it, so that no message is lost between the missed events and
 * the new ones.
 */
export class Stream {
  readonly reader: Reader
  readonly #response: ServerResponse
  #waiting: string[] | undefined = []

  constructor(reader: Reader, response: ServerResponse, onEnd: (stream: Stream) => void) {
    this.reader = reader
    this.#response = response
    const commenting = setInterval(() => this.#send(':\n\n'), COMMENT_EVERY_MS)
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

  #send(text: string): void {
    if (text === '' || this.#response.writableEnded) return
    if (this.#response.writableLength > BUFFERED_BYTES_MAX) this.cut()
    else this.#response.write(text)
  }
}
