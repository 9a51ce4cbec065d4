import path from 'node:path'
import { restoreBackup } from '../platform/backup/restore-backup.ts'
import { writeBackup } from '../platform/backup/write-backup.ts'
import { reencryptSecrets } from '../platform/db/reencrypt-secrets.ts'
import { type Command, onlyPositional, table } from './command.ts'

export const backUp: Command = {
  name: 'backup',
  parameters: '<file>',
  summary: 'Writes the whole database, as it is at one moment, to a new file. The portal can keep running.',
  async run(given, workplace) {
    const file = path.resolve(onlyPositional(backUp, given))
    const rows = await writeBackup(await workplace.directUrl(), file)
    workplace.say(`${table(counted(rows))}\n\n${file}\nSECRETS_KEY is not in the backup: keep the key elsewhere.`)
    return 0
  },
}

export const restore: Command = {
  name: 'restore',
  parameters: '<file>',
  summary: 'Restores a backup into an empty database, completely or not at all, and migrates the database.',
  async run(given, workplace) {
    const file = path.resolve(onlyPositional(restore, given))
    const rows = await restoreBackup(await workplace.directUrl(), file, workplace.makeJobSchema)
    workplace.say(table(counted(rows)))
    const { db, secrets } = await workplace.database()
    const { locked } = await reencryptSecrets(db, secrets)
    if (locked > 0)
      workplace.say(`\nSecrets that no key of SECRETS_KEY opens: ${locked}. Add the key that encrypted them.`)
    return 0
  },
}

function counted(rows: Record<string, number>): string[][] {
  return Object.entries(rows)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name.replace(/^public\./, ''), String(count)])
}
