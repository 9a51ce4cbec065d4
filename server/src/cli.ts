// npm run portal -- …: what operators do (D16). There is no such role in the web app.
import pino from 'pino'
import { readSettings, SettingsError } from './config.ts'
import { PortalError } from './errors.ts'
import { openLog } from './log.ts'
import { eraseApplicant, exportApplicant } from './operator/applicants-commands.ts'
import { backUp, restore } from './operator/backup-commands.ts'
import { type Command, CommandFailed, readGiven, UsageError, usageOf } from './operator/command.ts'
import { checkCrm, setUpCrm } from './operator/crm-commands.ts'
import { dropJob, listJobs, retryJob } from './operator/jobs-commands.ts'
import { listMailsInTrouble, retryMails } from './operator/mails-command.ts'
import { migrateNow } from './operator/migrate-command.ts'
import { activatePartner, deactivatePartner, listPartners } from './operator/partner-commands.ts'
import { deactivatePerson, listPeople, resetSecondFactorOf } from './operator/people-commands.ts'
import { pruneNow } from './operator/prune-command.ts'
import { rotateSecrets } from './operator/secrets-command.ts'
import { listSecurityLog } from './operator/security-log-command.ts'
import { syncPartners } from './operator/sync-command.ts'
import { openWorkplace } from './operator/workplace.ts'
import { CrmRefused } from './zoho/errors.ts'

const COMMANDS = [
  listPartners,
  activatePartner,
  deactivatePartner,
  listPeople,
  deactivatePerson,
  resetSecondFactorOf,
  syncPartners,
  checkCrm,
  setUpCrm,
  listSecurityLog,
  pruneNow,
  // Longer names first: `jobs` is the beginning of the others.
  retryMails,
  listMailsInTrouble,
  retryJob,
  dropJob,
  listJobs,
  rotateSecrets,
  exportApplicant,
  eraseApplicant,
  backUp,
  restore,
  migrateNow,
]

process.exit(await answer(process.argv.slice(2)))

async function answer(words: string[]): Promise<number> {
  try {
    return await runCommand(words)
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message)
      return 2
    }
    console.error(isExpected(error) ? error.message : error)
    return 1
  }
}

async function runCommand(words: string[]): Promise<number> {
  if (words[0] === '--help' || words[0] === '-h' || words[0] === 'help') {
    console.log(overview())
    return 0
  }
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
  if (!command) {
    const wrong = words.length === 0 ? 'No command' : `No such command: ${words.join(' ')}`
    throw new UsageError(`${wrong}; npm run portal -- --help lists them`)
  }
  const given = readGiven(command, words.slice(command.name.split(' ').length))
  if (given.values['help'] === true) {
    console.log(`${usageOf(command)}\n\n${command.summary}`)
    return 0
  }
  const config = readSettings(process.env)
  // Only what goes wrong, beside the command's own words.
  const log = openLog('error', pino.destination({ dest: 2, sync: true }))
  const workplace = openWorkplace(config, log, (text) => console.log(text))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void workplace.close().finally(() => process.exit(130)))
  }
  try {
    return await command.run(given, workplace)
  } finally {
    await workplace.close()
  }
}

function overview(): string {
  const lines = COMMANDS.map((command: Command) => `  ${usageOf(command)}\n      ${command.summary}`)
  return [
    'What operators do with the portal, while it runs or while it does not.',
    'The settings are those of npm start: environment variables, the same DATA_DIR or DATABASE_URL.',
    '',
    ...lines,
  ].join('\n')
}

function isExpected(error: unknown): error is Error {
  const kinds = [CommandFailed, SettingsError, PortalError, CrmRefused]
  return kinds.some((kind) => error instanceof kind) || (error instanceof Error && !isBug(error))
}

/** Everything else than a wrong program, such as a database in use, says what is the matter in its message. */
function isBug(error: Error): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
}
