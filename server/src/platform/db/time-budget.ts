import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'

/**
 * The time that the statements of one request may take together, with their waits for a connection. Time in which the
 * request has no connection and waits for none does not count. Once the time is used up, all of the request's waits
 * fail, and its connections are destroyed, because a statement may still run on them.
 */
export class TimeBudget {
  #leftMs: number
  /** When the current use began, in milliseconds of `performance.now()`. Simultaneous uses count once. */
  #usedSince = 0
  #uses = 0
  #isOver = false

  constructor(ms: number) {
    this.#leftMs = ms
  }

  /** Ends the budget with its request. Work that the request began for others, such as a timer, goes on without it. */
  end(): void {
    this.#isOver = true
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Begins a use. Calls `stop` with the error once the time is used up, unless the returned function was called before.
   * Throws that error if nothing is left.
   */
  use(stop: (error: Error) => void): () => void {
    const now = performance.now()
    const leftMs = this.#uses > 0 ? this.#leftMs - (now - this.#usedSince) : this.#leftMs
    if (leftMs <= 0) throw usedUp()
    if (this.#uses === 0) this.#usedSince = now
    this.#uses += 1
    const timer = setTimeout(() => {
      if (!this.#isOver) stop(usedUp())
    }, leftMs)
    return () => {
      clearTimeout(timer)
      this.#uses -= 1
      if (this.#uses === 0) this.#leftMs -= performance.now() - this.#usedSince
    }
  }
}

const current = new AsyncLocalStorage<TimeBudget | undefined>()

/** Runs `work`. Everything that `work` asks of a database counts against the budget. */
export function withinBudget<Result>(budget: TimeBudget | undefined, work: () => Result): Result {
  return current.run(budget, work)
}

/** Sends a statement on a connection that others share. If the budget ends first, nobody waits for the answer. */
export function sendInBudget<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  const budget = currentBudget()
  if (!budget) return send()
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const endUse = budget.use(reject)
  send().then(resolve, reject).finally(endUse)
  return promise
}

/** A pool whose connections count against the budget of the request that takes them. Jobs have no budget. */
export class BudgetedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(tell: Callback): void
  override connect(tell?: Callback): Promise<pg.PoolClient> | void {
    const budget = currentBudget()
    if (!budget) return tell ? super.connect(tell) : super.connect()
    const lent = lend(budget, () => super.connect())
    if (!tell) return lent
    lent.then(
      (client) => tell(undefined, client, client.release),
      (error: Error) => tell(error, undefined, () => undefined),
    )
  }
}

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: pg.PoolClient['release']) => void

async function lend(budget: TimeBudget, connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
  let client: pg.PoolClient | undefined
  let isLate = false
  const endUse = budget.use((error) => {
    isLate = true
    reject(error)
    client?.connection.stream.destroy(error)
  })
  connect().then(
    (connected) => {
      if (isLate) {
        endUse()
        return connected.release()
      }
      client = connected
      const release = connected.release
      const releaseAndEnd: typeof release = (error) => {
        endUse()
        release(error)
      }
      connected.release = releaseAndEnd
      resolve(connected)
    },
    (error: unknown) => {
      endUse()
      reject(error)
    },
  )
  return promise
}

function currentBudget(): TimeBudget | undefined {
  const budget = current.getStore()
  return budget?.isOver ? undefined : budget
}

/** The driver and the portal treat it like a connection that was lost. */
function usedUp(): Error {
  return Object.assign(new Error('The request has used up its time for the database'), { code: 'ETIMEDOUT' })
}
