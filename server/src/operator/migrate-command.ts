import { type Command, noPositional } from './command.ts'

export const migrateNow: Command = {
  name: 'migrate',
  parameters: '',
  summary: 'Migrates the database, for portals that start with MIGRATE=off.',
  async run(given, workplace) {
    noPositional(migrateNow, given)
    await workplace.migrate()
    workplace.say('The database is up to date.')
    return 0
  },
}
