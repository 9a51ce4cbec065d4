import {
  eraseImportRows,
  eraseLogBodies,
  eraseRecords,
  eraseWords,
  removeViews,
} from '../features/applicants/applicants.queries.ts'
import { type Found, findApplicant, inCrm } from '../features/applicants/find-applicant.ts'
import { type Applicant, readApplicant } from '../features/applicants/read-applicant.ts'
import type { Db } from '../platform/db/database.ts'
import {
  type Command,
  CommandFailed,
  confirmErasure,
  type Given,
  onlyPositional,
  table,
  UsageError,
  usageOf,
  writeNewFile,
} from './command.ts'

export const exportApplicant: Command = {
  name: 'applicants export',
  parameters: '<email, phone or ABN> --to <file>',
  summary: 'Writes all data about an applicant, across all partners, to a new JSON file.',
  options: { to: { type: 'string' } },
  async run(given, workplace) {
    const { to } = given.values
    if (typeof to !== 'string') throw new UsageError(`usage: ${usageOf(exportApplicant)}`)
    const { db } = await workplace.database()
    const { word, found } = await find(exportApplicant, given, db)
    await writeNewFile(to, { applicant: word, made_at: new Date().toISOString(), ...found })
    workplace.say(summary(found))
    for (const [partner, detail] of ofPartners(found)) {
      await workplace.security(db, 'applicant-exported', { partner, detail })
    }
  },
}

export const eraseApplicant: Command = {
  name: 'applicants erase',
  parameters: '<email, phone or ABN> [--yes]',
  summary:
    'Permanently erases all data that identifies an applicant, across all partners, and says what the CRM still has.',
  options: { yes: { type: 'boolean' } },
  async run(given, workplace) {
    const { db, clock } = await workplace.database()
    const { applicant, found: shown } = await find(eraseApplicant, given, db)
    workplace.say(summary(shown))
    if (given.values['yes'] !== true) await confirmErasure()
    const { present, left, sent } = await db.transaction().execute(async (tx) => {
      // More data may have been stored since the summary was shown.
      const found = await findApplicant(tx, applicant)
      const at = clock.now().toISOString()
      const loids = [...new Set([...found.leads, ...found.deals].map(({ loid }) => loid))]
      await eraseRecords(tx, loids, at)
      await eraseWords(tx, loids)
      await eraseImportRows(tx, found.rows_of_imports, loids)
      await eraseLogBodies(
        tx,
        found.webhook_logs.map(({ id }) => id),
      )
      await removeViews(
        tx,
        found.views.map(({ id }) => id),
      )
      for (const [partner, detail] of ofPartners(found)) {
        await workplace.security(tx, 'applicant-erased', { partner, detail })
      }
      return inCrm(found)
    })
    workplace.say('\nErased. A sync does not bring any of it back.')
    if (present.length > 0) workplace.say(`Still in the CRM, for its staff to delete:\n  ${present.join('\n  ')}`)
    if (left.length > 0)
      workplace.say(
        `Perhaps in the CRM’s recycle bin, or given to a business outside the portal:\n  ${left.join('\n  ')}`,
      )
    if (sent.length > 0) workplace.say(`Perhaps in the CRM, because the portal was sending it:\n  ${sent.join('\n  ')}`)
  },
}

async function find(
  command: Command,
  given: Given,
  db: Db,
): Promise<{ word: string; applicant: Applicant; found: Found }> {
  const word = onlyPositional(command, given)
  const applicant = readApplicant(word)
  if (!applicant)
    throw new UsageError(
      `${JSON.stringify(word)} is not an email address, phone number or ABN; usage: ${usageOf(command)}`,
    )
  const found = await findApplicant(db, applicant)
  if (found.leads.length + found.deals.length + found.webhook_logs.length + found.rows_of_imports.length === 0) {
    throw new CommandFailed(`The portal has no data about ${JSON.stringify(word)}`)
  }
  return { word, applicant, found }
}

function summary(found: Found): string {
  const counts = Object.entries(found).map(([what, rows]) => [what.replaceAll('_', ' '), String(rows.length)])
  const records = [...found.leads, ...found.deals].map(({ loid, partner }) => [loid, partner ?? ''])
  return [table(counts), table(records)].filter(Boolean).join('\n\n')
}

/** Says for each partner where the applicant was found: the LOIDs, or what else names the applicant. */
function ofPartners({ leads, deals, webhook_logs, rows_of_imports }: Found): Map<string, string> {
  const found = [
    ...[...leads, ...deals].map(({ partner_id, loid }) => ({ partner_id, loid, where: '' })),
    ...webhook_logs.map(({ partner_id, loid }) => ({ partner_id, loid, where: 'in the log of calls' })),
    ...rows_of_imports.map(({ partner_id, loid }) => ({ partner_id, loid, where: 'in a file of leads' })),
  ]
  const wordsOf = (of: typeof found) =>
    [...new Set(of.flatMap(({ loid }) => loid ?? []))].join(', ') ||
    [...new Set(of.map(({ where }) => where))].join(', ')
  const byPartner = Map.groupBy(found, ({ partner_id }) => partner_id)
  return new Map([...byPartner].map(([partner, of]) => [partner, wordsOf(of)]))
}
