import { once } from 'node:events'
import { createServer } from 'node:net'
import pino from 'pino'
import { expect, test } from 'vitest'
import { openMailer } from './mail.ts'

test('in production no mail is sent to a server that offers no TLS', async () => {
  const heard: string[] = []
  const server = createServer((socket) => {
    socket.write('220 mail.example\r\n')
    socket.on('data', (words) => {
      heard.push(...String(words).split('\r\n').filter(Boolean))
      const answers: Record<string, string> = { EHLO: '250 mail.example', STARTTLS: '502 not here' }
      socket.write(`${answers[String(words).trim().split(' ')[0] ?? ''] ?? '250 so be it'}\r\n`)
    })
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const mailer = openMailer({
    smtpUrl: `smtp://portal:geheim@127.0.0.1:${port}`,
    requiresTls: true,
    mailFrom: 'portal@example.com',
    brand: { name: 'Partner Portal' },
    outbox: '',
    log: pino({ level: 'silent' }),
  })
  await expect(mailer.send({ to: 'ada@example.com', subject: 'Hello', parts: [] })).rejects.toThrow(/STARTTLS|TLS/)
  expect(heard.filter((words) => /AUTH|MAIL|geheim/.test(words))).toEqual([])
  server.close()
})
