// The many open pages of bench-live.ts and bench-capacity.ts, in their own process, so that their cost is not measured
// as the server's.
import { request } from 'node:http'

export interface ReadersOrder {
  url: string
  tokens: string[]
  perToken: number
}
export type ReadersReport = { open: number } | { delaysMs: number[]; closed: number }

const OPENED_AT_ONCE = 50
const EVENT = /"type":"lead\.created".*?"at":"([^"]+)"/g

let delaysMs: number[] = []
let closed = 0

function send(report: ReadersReport): void {
  process.send?.(report)
}

process.on('message', (order: ReadersOrder | 'report') => {
  if (order === 'report') {
    send({ delaysMs, closed })
    delaysMs = []
  } else void openAll(order)
})
process.on('disconnect', () => process.exit())

async function openAll({ url, tokens, perToken }: ReadersOrder): Promise<void> {
  const waiting = tokens.flatMap((token) => Array.from({ length: perToken }, () => token))
  const count = waiting.length
  const opener = async () => {
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) await openOne(url, token)
  }
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, opener))
  send({ open: count })
}

/** Opens a stream, and resolves when its first data arrives. */
function openOne(url: string, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}/api/live`,
      { agent: false, headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`a stream answered ${answer.statusCode}`))
        answer.setEncoding('utf8').on('data', (text: string) => {
          const now = Date.now()
          for (const [, at = ''] of text.matchAll(EVENT)) delaysMs.push(now - Date.parse(at))
          resolve()
        })
        answer.on('close', () => closed++)
        answer.on('error', () => undefined)
      },
    )
    call.on('error', reject)
    call.end()
  })
}
