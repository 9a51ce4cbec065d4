import { AsyncLocalStorage } from 'node:async_hooks'

/** The queue of calls takes the highest first. Pushes and the syncs that people start have no name here and count as 0. */
const PRIORITIES = { opened: 1, notified: -1, sweep: -2, background: -3 }

const order = new AsyncLocalStorage<keyof typeof PRIORITIES>()
const brief = new AsyncLocalStorage<true>()

/** Runs work whose calls go before all others that wait: somebody looks at the page. */
export function asOpened<Result>(work: () => Promise<Result>): Promise<Result> {
  return order.run('opened', work)
}

/** Runs work that follows a notification of the CRM. */
export function asNotified<Result>(work: () => Promise<Result>): Promise<Result> {
  return order.run('notified', work)
}

/** Runs work that looks for what no notification told. */
export function asSweep<Result>(work: () => Promise<Result>): Promise<Result> {
  return order.run('sweep', work)
}

/** Runs work whose calls go after all others that wait, and that pauses while others work. */
export function asBackground<Result>(work: () => Promise<Result>): Promise<Result> {
  return order.run('background', work)
}

/** Runs work that an operator watches: a call that gets no answer is tried once more at once, and then says so. */
export function asTrial<Result>(work: () => Promise<Result>): Promise<Result> {
  return brief.run(true, work)
}

export function isTrial(): boolean {
  return brief.getStore() === true
}

/** The priority of the calls that are made now. */
export function callPriority(): number {
  const kind = order.getStore()
  return kind === undefined ? 0 : PRIORITIES[kind]
}

export function isInBackground(): boolean {
  return order.getStore() === 'background'
}
