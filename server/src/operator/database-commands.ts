import { createReadStream } from 'node:fs'
import path from 'node:path'
import { restoreBackup } from '../platform/backup/restore-backup.ts'
import { sendBackup, writeBackup } from '../platform/backup/write-backup.ts'
import { reencryptSecrets } from '../platform/db/reencrypt-secrets.ts'
import { prune } from '../process/prune.job.ts'
import { type Command, noPositional, onlyPositional, table } from './command.ts'

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
    if (locked > 0) workplace.say(`\n${lockedText(locked)}`)
  },
}

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

export const rotateSecrets: Command = {
  name: 'secrets rotate',
  parameters: '',
  summary: 'Re-encrypts all secrets with the first key of SECRETS_KEY. The other keys can then be removed.',
  async run(given, workplace) {
    noPositional(rotateSecrets, given)
    const { db, secrets } = await workplace.database()
    const { encrypted, locked } = await reencryptSecrets(db, secrets)
    workplace.say(`Secrets encrypted with the first key: ${encrypted}`)
    if (locked === 0) return 0
    workplace.say(lockedText(locked))
    return 1
  },
}

function counted(rows: Record<string, number>): string[][] {
  return Object.entries(rows)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name.replace(/^public\./, ''), String(count)])
}

function lockedText(locked: number): string {
  return `Secrets that no key of SECRETS_KEY opens: ${locked}. Add the key that encrypted them.`
}
