import type { Db } from '../platform/db/database.ts'
import { type Command, CommandFailed, type Given, onlyPositional, table, UsageError, usageOf } from './command.ts'
import { dropJobs, findJobs, findQueues, findWaitingInstead, retryJobs } from './jobs.queries.ts'
import type { Workplace } from './workplace.ts'

const JOBS_MAX = 500
const STATES = { created: 'waits', retry: 'waits for a retry', active: 'runs', failed: 'given up' } as const

export const listJobs: Command = {
  name: 'jobs',
  parameters: '[<queue>]',
  summary: `Lists the oldest ${JOBS_MAX} background jobs that wait or run, or that were given up in the last day, from all queues or from one queue.`,
  async run(given, workplace) {
    const [queue, ...more] = given.positionals
    if (more.length > 0) throw new UsageError(`usage: ${usageOf(listJobs)}`)
    const { db } = await workplace.database()
    if (queue !== undefined) await refuseUnknownQueue(db, queue)
    const rows = (await findJobs(db, queue, JOBS_MAX)).map((job) => [
      job.id,
      job.queue,
      STATES[job.state],
      job.created_at.slice(0, 19),
      job.due_at.slice(0, 19),
      String(job.tries),
      JSON.stringify(job.payload ?? {}),
      job.problem ?? '',
    ])
    workplace.say(table([['ID', 'QUEUE', 'STATE', 'SINCE (UTC)', 'DUE (UTC)', 'TRIES', 'ABOUT', 'PROBLEM'], ...rows]))
  },
}

export const retryJob: Command = {
  name: 'jobs retry',
  parameters: '<id or queue>',
  summary: 'Runs a waiting or given-up job now, or all such jobs of a queue.',
  run: (given, workplace) => change(retryJob, given, workplace, retryJobs, 'Jobs set to run now'),
}

export const dropJob: Command = {
  name: 'jobs drop',
  parameters: '<id or queue>',
  summary: 'Removes a waiting or given-up job, or all such jobs of a queue; their records do not change.',
  run: (given, workplace) => change(dropJob, given, workplace, dropJobs, 'Jobs removed'),
}

async function refuseUnknownQueue(db: Db, queue: string): Promise<void> {
  const queues = await findQueues(db)
  if (!queues.includes(queue)) {
    throw new CommandFailed(`There is no queue ${JSON.stringify(queue)}; the queues are ${queues.join(', ')}`)
  }
}

async function change(
  command: Command,
  given: Given,
  workplace: Workplace,
  act: typeof retryJobs,
  said: string,
): Promise<void> {
  const idOrQueue = onlyPositional(command, given)
  const { db } = await workplace.database()
  const count = await act(db, idOrQueue)
  if (count === 0) {
    const waiting = await findWaitingInstead(db, idOrQueue)
    throw new CommandFailed(
      waiting === undefined
        ? `No waiting or given-up job has the id or queue ${JSON.stringify(idOrQueue)}`
        : `The queue lets only one job wait for a retry, and another job already waits: ${waiting}`,
    )
  }
  workplace.say(`${said}: ${count}`)
}
