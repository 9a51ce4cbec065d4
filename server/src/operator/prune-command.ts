import { prune } from '../process/prune.job.ts'
import { type Command, noPositional, table } from './command.ts'

export const pruneNow: Command = {
  name: 'prune',
  parameters: '',
  summary: 'Removes expired and old data, as the portal does every night.',
  async run(given, workplace) {
    noPositional(pruneNow, given)
    const removed = await prune(await workplace.database())
    workplace.say(table(Object.entries(removed).map(([kind, count]) => [kind, String(count)])))
  },
}
