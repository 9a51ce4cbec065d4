import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readText, sendRequest } from './http-request.ts'

async function answering(listener: RequestListener, body?: AsyncIterable<Uint8Array>) {
  await using server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const answer = await sendRequest(url, { method: 'POST', headers: {}, body, signal: AbortSignal.timeout(5_000) })
  return { status: answer.statusCode, text: await readText(answer) }
}

test('a packed answer is unpacked', async () => {
  const answer = await answering((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"name":"Zoë"}'))
  })
  expect(answer).toEqual({ status: 200, text: '{"name":"Zoë"}' })
})

test('a redirect and a change of the protocol are no answers', async () => {
  const redirect: RequestListener = (_, response) => void response.writeHead(302, { location: '/' }).end()
  await expect(answering(redirect)).rejects.toThrow('a redirect')
  const change: RequestListener = (_, response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
  }
  await expect(answering(change)).rejects.toThrow('another protocol')
})

test('a refusal that comes before the end of the body is read, and ends the sending', async () => {
  let hasEnded = false
  async function* endless() {
    try {
      while (true) {
        yield Buffer.alloc(1_000)
        await sleep(1)
      }
    } finally {
      hasEnded = true
    }
  }
  const refuse: RequestListener = (_, response) => void response.writeHead(413).end('too large')
  expect(await answering(refuse, endless())).toEqual({ status: 413, text: 'too large' })
  await expect.poll(() => hasEnded).toBe(true)
})

test('a body that breaks off is no answer', async () => {
  async function* broken() {
    yield Buffer.alloc(1_000)
    throw new Error('the file is gone')
  }
  await expect(answering((request) => void request.resume(), broken())).rejects.toThrow('the file is gone')
})
