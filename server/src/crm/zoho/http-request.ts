import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { http } from '../../platform/node-http.ts'

/** Shorter than Zoho keeps a connection, so that no call goes into one that Zoho is closing. */
const UNUSED_MS_MAX = 4_000
const kept = { keepAlive: true, timeout: UNUSED_MS_MAX }
const plain = { request: http.request, agent: new http.Agent(kept) }
const secure = { request: https.request, agent: new https.Agent(kept) }

interface HttpRequest {
  method: string
  headers: Record<string, string>
  /** Pieces come with their length in `headers`. */
  body?: string | AsyncIterable<Uint8Array> | undefined
  signal: AbortSignal
}

/**
 * Resolves once the headers of an answer have arrived. A redirect is no answer. This is not `fetch`, which takes three
 * times the CPU for a call, and whose parser makes the process larger (docs/decisions/memory.md).
 */
export function sendRequest(url: URL, { method, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const { request, agent } = url.protocol === 'https:' ? secure : plain
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: { 'user-agent': 'partner-portal', ...headers }, agent, signal })
    call.on('error', reject)
    call.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('an answer in another protocol'))
    })
    call.on('response', (answer) => {
      const { statusCode = 0 } = answer
      if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
        call.destroy()
        return reject(new Error('a redirect'))
      }
      answer.once('end', () => {
        // An answer that comes before the end of the body refuses the rest.
        if (!call.writableFinished) call.destroy()
      })
      resolve(answer)
    })
    if (body === undefined || typeof body === 'string') call.end(body)
    else pipeline(body, call).catch(reject)
  })
}

const unzip = promisify(gunzip)

export async function readText(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  return (answer.headers['content-encoding'] === 'gzip' ? await unzip(bytes) : bytes).toString()
}
