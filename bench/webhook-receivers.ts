// Partners' systems in their own process: many HTTP servers that note when each delivery arrived. See
// bench-webhooks.ts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const RECEIVERS = 50
/** After the order `misbehave`, the first `HANGING` receivers hang, and the next `FAILING` receivers answer 500. */
export const HANGING = 5
export const FAILING = 5

export interface Arrival {
  receiver: number
  id: string
  /** Time from the event until its delivery arrived. */
  delayMs: number
}

export type Order = 'behave' | 'misbehave' | 'report'
export type Report = { urls: string[] } | { arrivals: Arrival[] }

if (process.argv[1] === import.meta.filename) await run()

async function run(): Promise<void> {
  let isMisbehaving = false
  let arrivals: Arrival[] = []

  const urls = await Promise.all(Array.from({ length: RECEIVERS }, (_, receiver) => listen(receiver)))
  report({ urls })
  process.on('message', (order: Order) => {
    isMisbehaving = order === 'report' ? isMisbehaving : order === 'misbehave'
    if (order !== 'report') return
    report({ arrivals })
    arrivals = []
  })
  process.on('disconnect', () => process.exit(0))

  async function listen(receiver: number): Promise<string> {
    const server = createServer((request, response) => {
      const at = Date.now()
      let text = ''
      request.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      request.on('end', () => {
        const { timestamp } = JSON.parse(text) as { timestamp: string }
        arrivals.push({ receiver, id: String(request.headers['webhook-id']), delayMs: at - Date.parse(timestamp) })
        if (isMisbehaving && receiver < HANGING) return
        response.writeHead(isMisbehaving && receiver < HANGING + FAILING ? 500 : 200).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  }
}

function report(message: Report): void {
  process.send?.(message)
}
