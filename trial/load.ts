import { Agent, request } from 'node:http'

const CALLERS = 8
const PAUSE_MS = 20
const PATHS = ['/profile', '/dashboard/leads', '/dashboard/stats', '/crm/search?q=trial']

export interface Load {
  /** Since the last call of it. */
  take(): { requests: number; failed: string[]; worstMs: number }
  /** When a submission was last acknowledged. */
  lastWriteAt(): number
  /** Every lead that was acknowledged. */
  loids: string[]
  stop(): Promise<void>
}

interface Answer {
  status: number
  // Whatever was answered.
  body: { token?: string; data?: { loid?: string } }
}

/** Callers with connections that are kept: each submits a lead, reads three pages, and so on. Nothing is tried twice. */
export async function startLoad(port: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const loids: string[] = []
  let counted = { requests: 0, failed: new Array<string>(), worstMs: 0 }
  let isOver = false
  let wroteAt = 0

  function send(method: string, path: string, token?: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
      const call = request({ agent, port, host: '127.0.0.1', method, path: `/api${path}`, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
        response.on('error', reject)
        response.on('end', () => {
          const isJson = response.headers['content-type']?.includes('json') === true
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : {} })
        })
      })
      call.setTimeout(40_000, () => call.destroy(new Error('no answer')))
      call.on('error', reject)
      call.end(body && JSON.stringify(body))
    })
  }

  async function measured(method: string, path: string, token: string, body?: object): Promise<Answer | undefined> {
    const startedAt = performance.now()
    counted.requests += 1
    try {
      const answer = await send(method, path, token, body)
      if (answer.status >= 500) counted.failed.push(`${method} ${path}: ${answer.status}`)
      return answer
    } catch (error) {
      counted.failed.push(`${method} ${path}: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    } finally {
      counted.worstMs = Math.max(counted.worstMs, performance.now() - startedAt)
    }
  }

  async function signUp(caller: number): Promise<string> {
    const account = { email: `caller${caller}@example.com`, password: 'correct-horse-battery' }
    await send('POST', '/auth/signup', undefined, { ...account, businessName: `Caller ${caller}` })
    const { body } = await send('POST', '/auth/login', undefined, account)
    if (!body.token) throw new Error(`caller ${caller} could not sign in: ${JSON.stringify(body)}`)
    return body.token
  }

  async function call(token: string, caller: number): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      const created = await measured('POST', '/dashboard/leads', token, leadOf(caller, turn))
      const loid = created?.status === 201 ? created.body.data?.loid : undefined
      if (loid) {
        loids.push(loid)
        wroteAt = Date.now()
      }
      for (let i = 0; i < 3 && !isOver; i++) await measured('GET', PATHS[(turn + i) % PATHS.length] ?? '', token)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  const tokens: string[] = []
  for (let caller = 0; caller < CALLERS; caller++) tokens.push(await signUp(caller))
  const calling = tokens.map(call)
  return {
    take() {
      const taken = counted
      counted = { requests: 0, failed: [], worstMs: 0 }
      return taken
    },
    lastWriteAt: () => wroteAt,
    loids,
    async stop() {
      isOver = true
      await Promise.all(calling)
      agent.destroy()
    },
  }
}

function leadOf(caller: number, turn: number): object {
  return {
    firstName: 'Trial',
    lastName: `Lead ${turn}`,
    email: `lead${caller}-${turn}@example.com`,
    phone: '0491 570 156',
    businessName: `Business ${caller}-${turn}`,
    loanAmount: 150_000,
    loanType: 'Term Loan',
  }
}
