import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Received {
  headers: IncomingHttpHeaders
  text: string
}

/**
 * Starts a server that plays a partner's endpoint. It keeps the requests that it receives and answers them with
 * `status`.
 */
export async function startReceiver() {
  const received: Received[] = []
  const receiver = {
    url: '',
    status: 200,
    received,
    types: () => received.map(({ text }) => JSON.parse(text).type as string),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    request.on('end', () => {
      received.push({ headers: request.headers, text })
      response.writeHead(receiver.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ received: receiver.status < 300 }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** Whether a signature matches. The Standard Webhooks specification allows several; one match is enough. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const signature = createHmac('sha256', key).update(signed).digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`)
}
