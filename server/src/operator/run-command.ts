import type { Readable, Writable } from 'node:stream'
import { inspect } from 'node:util'
import { CrmRefused } from '../crm/zoho/errors.ts'
import { readSettings } from '../platform/config.ts'
import { PortalError } from '../platform/errors.ts'
import { explainFailure } from '../platform/explain-failure.ts'
import { openLog } from '../platform/log.ts'
import { SettingsError } from '../platform/settings-error.ts'
import { eraseApplicant, exportApplicant } from './applicants-commands.ts'
import { type Command, CommandFailed, readGiven, UsageError, usageOf } from './command.ts'
import { acceptRemovals, checkCrm, setUpCrm } from './crm-commands.ts'
import { backUp, migrateNow, pruneNow, restore, rotateSecrets } from './database-commands.ts'
import { dropJob, listJobs, retryJob } from './jobs-commands.ts'
import { listMailsInTrouble, retryMails } from './mails-command.ts'
import { activatePartner, deactivatePartner, linkToRecord, listPartners } from './partner-commands.ts'
import { deactivatePerson, erasePerson, exportPerson, listPeople, resetSecondFactorOf } from './people-commands.ts'
import { retryPushes } from './push-commands.ts'
import { listSecurityLog } from './security-log-command.ts'
import { syncPartners } from './sync-command.ts'
import { listWebhooksInTrouble, retryWebhook } from './webhooks-command.ts'
import { openWorkplace } from './workplace.ts'

const COMMANDS = [
  listPartners,
  activatePartner,
  deactivatePartner,
  linkToRecord,
  listPeople,
  deactivatePerson,
  resetSecondFactorOf,
  exportPerson,
  erasePerson,
  syncPartners,
  checkCrm,
  setUpCrm,
  acceptRemovals,
  retryPushes,
  listSecurityLog,
  pruneNow,
  // Longer names come first, because `jobs retry` also begins with `jobs`.
  retryMails,
  listMailsInTrouble,
  retryWebhook,
  listWebhooksInTrouble,
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

/** The environment and output of a command, which belong to the process or to a test. */
export interface Terminal {
  /** The environment variables with the settings. */
  env: NodeJS.ProcessEnv
  out(text: string): void
  err(text: string): void
  /** Standard input and output as bytes. */
  input: Readable
  output: Writable
}

/** Runs `npm run portal -- <words>`. Returns the exit code. */
export async function runCommand(words: string[], terminal: Terminal): Promise<number> {
  try {
    return await run(words, terminal)
  } catch (error) {
    terminal.err(`${isExpected(error) ? explainFailure(error) : inspect(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function run(words: string[], { env, out, err, input, output }: Terminal): Promise<number> {
  const say = (text: string) => out(`${text}\n`)
  if (words[0] === '--help' || words[0] === '-h' || words[0] === 'help') {
    say(overview())
    return 0
  }
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
  if (!command) {
    const wrong = words.length === 0 ? 'No command' : `No such command: ${words.join(' ')}`
    throw new UsageError(`${wrong}; npm run portal -- --help lists the commands`)
  }
  const given = readGiven(command, words.slice(command.name.split(' ').length))
  if (given.values['help'] === true) {
    say(`${usageOf(command)}\n\n${command.summary}`)
    return 0
  }
  const config = readSettings(env)
  // Logs only problems, separately from the command's own output.
  const log = openLog('error', { write: err })
  const workplace = openWorkplace(config, log, { say, sayBeside: (text) => err(`${text}\n`), input, output })
  const interrupt = () => void workplace.close().finally(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return (await command.run(given, workplace)) ?? 0
  } finally {
    await workplace.close()
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

function overview(): string {
  const lines = COMMANDS.map((command: Command) => `  ${usageOf(command)}\n      ${command.summary}`)
  return [
    'Commands for operators. They work whether or not the portal is running.',
    'They read the same environment variables as npm start, and need the same DATA_DIR or DATABASE_URL.',
    '',
    ...lines,
  ].join('\n')
}

function isExpected(error: unknown): error is Error {
  const kinds = [UsageError, CommandFailed, SettingsError, PortalError, CrmRefused]
  return kinds.some((kind) => error instanceof kind) || (error instanceof Error && !isBug(error))
}

/**
 * Whether an error is a bug. The message of any other error, such as a database in use, tells the operator what is
 * wrong.
 */
function isBug(error: Error): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
}
