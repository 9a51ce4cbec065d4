import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** `prompt` answers at once, `slow` says 'ok' after some seconds, and `deaf` takes the mail and hangs up instead. */
export type MailManner = 'prompt' | 'slow' | 'deaf'

const SLOW_MS = 4_000

/** A mail server that keeps the text of every mail it was sent, even if it did not say so. */
export async function openMailServer() {
  const mails: string[] = []
  let manner: MailManner = 'prompt'
  const sockets = new Set<Socket>()

  const server = createServer((socket) => {
    sockets.add(socket)
    let input = ''
    let isInMail = false
    const say = (line: string) => socket.writable && socket.write(`${line}\r\n`)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.setEncoding('utf8').on('data', (text: string) => {
      input += text
      for (let end = endOf(); end >= 0; end = endOf()) {
        const part = input.slice(0, end)
        input = input.slice(end + (isInMail ? 5 : 2))
        if (isInMail) take(part)
        else answer(part)
      }
    })
    say('220 soak')

    function endOf(): number {
      return input.indexOf(isInMail ? '\r\n.\r\n' : '\r\n')
    }

    function answer(line: string): void {
      const verb = line.slice(0, 4).toUpperCase()
      isInMail = verb === 'DATA'
      say(isInMail ? '354 go on' : verb === 'QUIT' ? '221 bye' : '250 ok')
      if (verb === 'QUIT') socket.end()
    }

    function take(mail: string): void {
      isInMail = false
      mails.push(mail)
      if (manner === 'deaf') socket.destroy()
      else if (manner === 'slow') setTimeout(() => say('250 ok'), SLOW_MS)
      else say('250 ok')
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')

  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails: mails as readonly string[],
    behave(as: MailManner) {
      manner = as
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
