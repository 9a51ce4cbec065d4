import { setTimeout as sleep } from 'node:timers/promises'
import type { Account, Answer, Ask } from './account.ts'

/** This load is far below what two cores can answer: the trial looks for failures, not for the portal's limits. */
const PAUSE_MS = 100
const READS_A_LEAD = 9
const REPEAT_MS = 250
/** After this time, the trial no longer waits for submissions that the portal has not acknowledged. */
const STOP_MS_MAX = 60_000
const PATHS = ['/profile', '/dashboard/leads', '/dashboard/stats', '/crm/search?q=trial', '/activity', '/security-log']

/** A lead that was acknowledged. */
export interface Acknowledged {
  loid: string
  /** Unique to this lead. */
  email: string
  account: Account
  act: string
}

export interface Counted {
  requests: number
  failedReads: string[]
  /**
   * Submissions that got no answer or an error. The portal may have stored them, so each is repeated with its
   * Idempotency-Key until it is acknowledged.
   */
  failedWrites: string[]
  worstMs: number
  lastFailedAt: number
}

export interface Load {
  /** Starts a new count and returns the previous one. Submissions acknowledged from now on belong to this act. */
  begin(act: string): Counted
  requests(): number
  /** When a submission was last acknowledged. */
  lastWriteAt(): number
  lastFailedAt(): number
  acknowledged: Acknowledged[]
  stop(): Promise<void>
}

/** Makes each partner submit a lead and read pages, again and again. A failed read is not repeated. */
export function startLoad(ask: Ask, accounts: readonly Account[]): Load {
  const acknowledged: Acknowledged[] = []
  let counted = nothing()
  let act = ''
  let isOver = false
  let wroteAt = 0

  /** Returns undefined if the call failed. */
  async function measured(method: string, path: string, options: Parameters<Ask>[2]): Promise<Answer | undefined> {
    const startedAt = performance.now()
    counted.requests += 1
    const fail = (why: string) => {
      const failed = method === 'GET' ? counted.failedReads : counted.failedWrites
      failed.push(`${method} ${path}: ${why}`)
      counted.lastFailedAt = Date.now()
      return undefined
    }
    try {
      const answer = await ask(method, path, options)
      // An answer without a code comes from the balancer itself.
      return answer.status < 300 ? answer : fail(`${answer.status} ${answer.body.code ?? 'by the balancer'}`)
    } catch (error) {
      return fail(error instanceof Error ? error.message : String(error))
    } finally {
      counted.worstMs = Math.max(counted.worstMs, performance.now() - startedAt)
    }
  }

  async function submit(account: Account, turn: number): Promise<void> {
    const lead = leadOf(account.number, turn)
    const key = `lead-${account.number}-${turn}`
    while (true) {
      const answer = await measured('POST', '/dashboard/leads', { token: account.token, body: lead, key })
      const loid = answer?.body.data?.loid
      if (loid) {
        wroteAt = Date.now()
        acknowledged.push({ loid, email: lead.email, account, act })
        return
      }
      await sleep(REPEAT_MS)
    }
  }

  async function call(account: Account): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      await submit(account, turn)
      for (let i = 0; i < READS_A_LEAD && !isOver; i++) {
        await measured('GET', PATHS[(turn + i) % PATHS.length] ?? '', { token: account.token })
        await sleep(PAUSE_MS)
      }
    }
  }

  const calling = accounts.map(call)
  return {
    begin(next) {
      const taken = counted
      counted = nothing()
      act = next
      return taken
    },
    requests: () => counted.requests,
    lastWriteAt: () => wroteAt,
    lastFailedAt: () => counted.lastFailedAt,
    acknowledged,
    async stop() {
      isOver = true
      await Promise.race([Promise.all(calling), sleep(STOP_MS_MAX, undefined, { ref: false })])
    },
  }
}

function nothing(): Counted {
  return { requests: 0, failedReads: [], failedWrites: [], worstMs: 0, lastFailedAt: 0 }
}

function leadOf(caller: number, turn: number) {
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
