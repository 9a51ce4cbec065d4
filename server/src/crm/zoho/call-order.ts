import { AsyncLocalStorage } from 'node:async_hooks'

const order = new AsyncLocalStorage<number>()

/** Runs work whose calls go before all others that wait: somebody looks at the page. */
export function asOpened<Result>(work: () => Promise<Result>): Promise<Result> {
  return order.run(1, work)
}

/** Runs work whose calls go after all others that wait. */
export function asBackground<Result>(work: () => Promise<Result>): Promise<Result> {
  return order.run(-1, work)
}

/** The priority of the calls that are made now. The queue of calls takes the highest first. */
export function callPriority(): number {
  return order.getStore() ?? 0
}
