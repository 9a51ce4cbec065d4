import { type Command, noPositional } from './command.ts'

export const migrateNow: Command = {
  name: 'migrate',
  parameters: '',
  summary: 'Migrates the database, for portals that start with MIGRATE=off.',
  async run(given, workplace) {
    noPositional(migrateNow, given)
    const ran = await workplace.migrate()
    workplace.say(ran.length === 0 ? 'The database was up to date.' : `Migrations that ran:\n  ${ran.join('\n  ')}`)
  },
}
