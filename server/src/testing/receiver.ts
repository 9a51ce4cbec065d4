import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from './wait-for.ts'

/** A request as a partner's system receives it. */
export interface Received {
  method: string | undefined
  path: string | undefined
  headers: Record<string, string>
  /** The exact text of the body. */
  text: string
  // Tests read bodies of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

type Respond = (response: ServerResponse, request: Received) => void

/** Starts a server that plays a partner's system: it keeps each request and answers with `respond`. */
export async function startReceiver(respond: Respond = answering(200)) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const one = { method: request.method, path: request.url, headers, text, body: JSON.parse(text) }
      received.push(one)
      receiver.respond(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    respond,
    /** Waits until this many requests have arrived, and returns them. */
    async first(count: number): Promise<Received[]> {
      return waitFor(`${count} deliveries`, async () => received.length >= count && received.slice(0, count))
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

export function answering(status: number, headers: Record<string, string> = {}, body = ''): Respond {
  return (response) => response.writeHead(status, headers).end(body)
}

/** Receives the request and does not answer. */
export function hanging(): void {}
