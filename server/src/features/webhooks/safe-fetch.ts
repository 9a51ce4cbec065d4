import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export interface SafeAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export class UnsafeAddress extends Error {}

const BODY_BYTES_MAX = 64 * 1024

export function safeFetch(
  url: string,
  request: {
    headers: Record<string, string>
    body: string
    timeoutMs: number
    allowPrivate: boolean
    signal: AbortSignal
  },
): Promise<SafeAnswer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)])
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const sent = send(url, { method: 'POST', headers: request.headers, signal }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        body = (body + text).slice(0, BODY_BYTES_MAX)
      })
      response.on('error', reject)
      response.on('end', () => {
        const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body })
      })
    })
    sent.on('error', (error) => {
      const isTimeout = signal.aborted && !request.signal.aborted
      reject(isTimeout ? new Error(`No answer within ${request.timeoutMs / 1_000} seconds`, { cause: error }) : error)
    })
    sent.end(request.body)
  })
}

export function findUrlFault(url: string, allowPrivate: boolean): string | undefined {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return 'Webhook URL must begin with https://'
  if (parsed.protocol !== 'https:' && !allowPrivate) return 'Webhook URL must begin with https://'
  return undefined
}
