import { createReadStream } from 'node:fs'
import path from 'node:path'
import { restoreBackup } from '../platform/backup/restore-backup.ts'
import { sendBackup, writeBackup } from '../platform/backup/write-backup.ts'
import { reencryptSecrets } from '../platform/db/reencrypt-secrets.ts'
import { type Command, onlyPositional, table } from './command.ts'

/** The name that stands for standard input or output. */
const STANDARD = '-'
const KEEP_KEY = 'SECRETS_KEY is not in the backup: keep the key elsewhere.'

export const backUp: Command = {
  name: 'backup',
  parameters: '<file>',
  summary:
    'Writes the whole database, as it is at one moment, to a new file, or to standard output if the file is -. The portal can keep running.',
  async run(given, workplace) {
    const word = onlyPositional(backUp, given)
    const url = await workplace.directUrl()
    if (word === STANDARD) {
      const rows = await sendBackup(url, workplace.output)
      workplace.sayBeside(`${table(counted(rows))}\n\n${KEEP_KEY}`)
      return 0
    }
    const file = path.resolve(word)
    const rows = await writeBackup(url, file)
    workplace.say(`${table(counted(rows))}\n\n${file}\n${KEEP_KEY}`)
  },
}

export const restore: Command = {
  name: 'restore',
  parameters: '<file>',
  summary:
    'Restores a backup, from standard input if the file is -, into an empty database, completely or not at all, and migrates the database.',
  async run(given, workplace) {
    const word = onlyPositional(restore, given)
    const openBackup = () => (word === STANDARD ? workplace.input : createReadStream(path.resolve(word)))
    const rows = await restoreBackup(await workplace.directUrl(), openBackup, workplace.makeJobSchema)
    workplace.say(table(counted(rows)))
    const { db, secrets } = await workplace.database()
    const { locked } = await reencryptSecrets(db, secrets)
    if (locked > 0)
      workplace.say(`\nSecrets that no key of SECRETS_KEY opens: ${locked}. Add the key that encrypted them.`)
  },
}

function counted(rows: Record<string, number>): string[][] {
  return Object.entries(rows)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name.replace(/^public\./, ''), String(count)])
}
