import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import * as z from 'zod'

/** The ids of webhooks or mails that arrived, grouped by what they are about. A repeat has the first copy's id. */
export type Came = Map<string, string[]>

export interface WebhookReceiver {
  url: string
  /** The webhook ids, by event and LOID: `lead.created LO-…`. */
  came: Came
}

const Delivery = z.object({ type: z.string(), data: z.object({ loid: z.string() }) })

/** Starts the webhook receiver that all partners share. It accepts every delivery. */
export async function startWebhookReceiver(port: number): Promise<WebhookReceiver> {
  const came: Came = new Map()
  const server = createHttpServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const { type, data } = Delivery.parse(JSON.parse(text))
      note(came, `${type} ${data.loid}`, String(request.headers['webhook-id']))
      response.end()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${port}/hook`, came }
}

export interface MailServer {
  url: string
  /** The Message-IDs, by the remark that the mail quotes: `Remark 17.`. */
  came: Came
  lastTo(email: string): string | undefined
}

/**
 * Starts a mail server that accepts every mail. It understands only the SMTP commands that the portal's mailer needs.
 */
export async function startMailServer(port: number): Promise<MailServer> {
  const came: Came = new Map()
  const newest = new Map<string, string>()

  function keep(mail: string): void {
    const text = mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const to = /^To: (\S+)/m.exec(text)?.[1] ?? ''
    const id = /^Message-ID: (\S+)/m.exec(text)?.[1] ?? ''
    newest.set(to, text)
    const [plain = ''] = text.split('Content-Type: text/html')
    for (const [, remark = ''] of plain.matchAll(/^> (Remark \d+\.)/gm)) note(came, remark, id)
  }

  function serve(socket: Socket): void {
    let said = ''
    let isMail = false
    socket.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
      while (true) {
        const end = isMail ? '\r\n.\r\n' : '\r\n'
        const length = said.indexOf(end)
        if (length < 0) return
        const words = said.slice(0, length)
        said = said.slice(length + end.length)
        if (isMail) keep(words)
        isMail = !isMail && words === 'DATA'
        socket.write(isMail ? '354 go on\r\n' : '250 so be it\r\n')
        if (words === 'QUIT') socket.end()
      }
    })
    socket.on('error', () => undefined)
    socket.write('220 mail.example\r\n')
  }

  const server = createServer(serve).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `smtp://127.0.0.1:${port}`, came, lastTo: (email) => newest.get(email) }
}

function note(came: Came, key: string, id: string): void {
  const ids = came.get(key)
  if (ids) ids.push(id)
  else came.set(key, [id])
}
