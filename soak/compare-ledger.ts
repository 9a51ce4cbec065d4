import { type Differ, type Ledger, TO_BE, type Tracked } from './ledger.ts'
import type { Partner } from './partners.ts'
import { hasLostPartner, type Picture, wordsOf } from './picture.ts'
import type { World } from './world.ts'

/** Checks what must be true according to the ledger: each record, note, file and task once, or gone for a known cause. */
export async function compareLedger(
  world: World,
  picture: Picture,
  ledger: Ledger,
  partners: readonly Partner[],
  differ: Differ,
): Promise<void> {
  for (const record of ledger.records) compareRecord(picture, record, differ)
  compareNotes(picture, ledger, differ)
  await compareFiles(world, picture, ledger, partners, differ)
  await compareTasks(world, picture, ledger, differ)
  compareResetLinks(world, ledger, partners, differ)
  for (const fault of ledger.faults) differ(fault)
  if (world.exits() > 0) differ(`the portal ended by itself ${world.exits()} times`)
}

function compareRecord(picture: Picture, record: Tracked, differ: Differ): void {
  const rows = record.module === 'Leads' ? picture.leads : picture.deals
  const found = record.zohoId ? rows.filter((row) => row.id === record.zohoId) : []
  // If the conversion copied no LOID, and staff gave the deal to another partner before the portal saw it, the deal has
  // its own LOID in the portal. If the lead had lost its partner, the portal does not see the deal.
  const lead = picture.leadOfDeal.get(record.zohoId ?? '')
  const mayBeRenamed = found.length > 0 && lead !== undefined && (record.isGiven || hasLostPartner(lead))
  const named = record.loid && !mayBeRenamed ? rows.filter((row) => row['LOID'] === record.loid) : found
  if (record.module === 'Leads' && record.loid !== undefined && picture.withdrawn.has(record.loid)) {
    if (named.length > 0) differ(`${record.loid} was withdrawn and is in the CRM`, record)
    const lost = record.isDeleted ? [] : touchesBeforeWithdrawal(record)
    if (lost.length > 0) differ(`${record.loid} was withdrawn after staff had done ${lost.join(', ')}`, record)
    return
  }
  if (record.isDeleted) {
    // The CRM's list of deletions has only names. If staff renamed a record before the portal knew the result of its
    // push, the portal cannot recognise the record there.
    if (named.length > 0 && !record.staffSet.has('Deal_Name'))
      differ(`${record.module} ${record.loid ?? record.zohoId} was deleted by staff and is in the CRM again`, record)
    return
  }
  if (named.length !== 1)
    differ(`${record.module} ${record.loid ?? record.zohoId} is in the CRM ${named.length} times`, record)
  const row = record.zohoId ? picture.rows.get(record.zohoId) : named[0]
  for (const [field, value] of record.staffSet) {
    if (row && row[field] !== value)
      differ(
        `${record.loid ?? row.id} ${field}: staff set ${JSON.stringify(value)}, CRM has ${JSON.stringify(row[field])}`,
        record,
      )
  }
}

function compareNotes(picture: Picture, ledger: Ledger, differ: Differ): void {
  const contents = Map.groupBy(picture.notes, wordsOf)
  for (const { content, record, by } of ledger.notes) {
    const count = contents.get(content)?.length ?? 0
    // The note waits until the record, or the deal that the lead became, is restored, or until the lead has a deal.
    if (count > 1 || (count === 0 && !picture.waitsFor(record)))
      differ(`note '${content}' (${by}) is in the CRM ${count} times`, record)
  }
}

async function compareFiles(
  { crm, rows }: World,
  { waitsFor }: Picture,
  ledger: Ledger,
  partners: readonly Partner[],
  differ: Differ,
): Promise<void> {
  await crm.behaviour({ attachmentsOfOrganisation: 'listed' })
  const attached = (await crm.list('Attachments', ['File_Name'])).map((row) => String(row['File_Name']))
  const documents = await rows<{ name: string; state: string; problem: string | null }>(
    `select name, state, problem from documents where sha256 is not null`,
  )
  for (const { name, record, isRemoved } of ledger.files) {
    const count = attached.filter((one) => one === name || one.endsWith(`– ${name}`)).length
    const document = documents.find((one) => one.name === name)
    const isSettled = document?.state === 'synced' && count === 1
    // A file whose first push got no answer may be there already; the portal looks for it when there is a deal.
    const waits = document?.state === 'pending' && count <= 1 && waitsFor(record)
    const isRefused =
      document?.state === 'failed' &&
      count === 0 &&
      /withdrawn/.test(document.problem ?? '') &&
      (waitsFor(record) || wasWithdrawn(record))
    // A push whose answer was lost sends the file again if staff have deleted it before the portal looks.
    const isGone = isRemoved && document?.state === 'synced' && count === 0
    if (!isSettled && !waits && !isRefused && !isGone)
      differ(`${name} is in the CRM ${count} times and ${JSON.stringify(document)} in the portal`, record)
  }
  await rows(`update document_looks set looked_at = 'epoch'`)
  for (const { name, record } of ledger.attachments) {
    const { status, body } = (await partners[record.partner]?.get(`/crm/documents/${record.loid}`)) ?? { status: 0 }
    if (record.loid === undefined || status !== 200 || waitsFor(record)) continue
    const isShown = body.data.documents.some((one: { name: string }) => one.name === name)
    if (isShown !== attached.includes(name))
      differ(`${name} is ${isShown ? 'shown' : 'not shown'}, and the CRM has ${isShown ? 'deleted' : 'got'} it`, record)
  }
}

async function compareTasks({ crm, rows }: World, picture: Picture, ledger: Ledger, differ: Differ): Promise<void> {
  const tasks = new Map((await crm.list('Tasks', ['Status'])).map((row) => [row.id, row['Status']]))
  const requests = await rows<{ zoho_id: string; state: string }>('select zoho_id, state from requests')
  const states = new Map(requests.map(({ zoho_id, state }) => [zoho_id, state]))
  for (const { subject, zohoId, record, wasAccepted, isRemoved } of ledger.tasks) {
    const state = states.get(zohoId)
    // Sweeps do not look again at what was accepted, so an accepted task may have been reopened and removed unheard.
    const removed = wasAccepted ? 'withdrawn accepted' : 'withdrawn'
    const wanted = isRemoved ? removed : tasks.get(zohoId) === 'Completed' ? 'accepted' : 'asked sent again'
    // The portal may not have had the record while the task was there.
    const isMissing = state === undefined && (isRemoved || picture.waitsFor(record))
    if (!isMissing && !wanted.split(' ').includes(state ?? ''))
      differ(
        `${subject} is ${state} in the portal, and ${isRemoved ? 'removed' : tasks.get(zohoId)} in the CRM`,
        record,
      )
  }
}

function compareResetLinks(world: World, ledger: Ledger, partners: readonly Partner[], differ: Differ): void {
  const mailed = world.mails().filter((mail) => mail.includes('/reset-password'))
  for (const partner of partners) {
    const { asked, accepted } = ledger.resets.get(partner.number) ?? { asked: 0, accepted: 0 }
    const ids = mailed
      .filter((mail) => mail.includes(`To: ${partner.email}`))
      .map((mail) => /^Message-ID: (\S+)/im.exec(mail)?.[1])
    const links = new Set(ids).size
    if (links > asked || (accepted > 0 && links === 0))
      differ(
        `partner ${partner.number} asked ${asked} times for a reset link, was accepted ${accepted} times and got ${links}`,
      )
  }
}

/** Whether a partner withdrew the record, and staff may have restored it. */
function wasWithdrawn({ log }: Tracked): boolean {
  return log.some((line) => / withdrawn by .*: 202$/.test(line))
}

/**
 * What staff did to a lead before the partner asked to withdraw it, which the portal had to see (D86). What they did later
 * may have come after the portal's look. A verdict does not count, nor does a status that was set back.
 */
function touchesBeforeWithdrawal({ log }: Tracked): string[] {
  const accepted = log.findLastIndex((line) => /withdrawn by .*: 202$/.test(line))
  const asked = log.slice(0, Math.max(accepted, 0)).findLastIndex((line) => line.endsWith(TO_BE.withdrawn))
  const earlier = log.slice(0, Math.max(asked, 0)).filter((line) => !line.includes(': refused, '))
  const [status] = earlier.filter((line) => line.includes('"Lead_Status"')).slice(-1)
  const isMoved = status !== undefined && !status.endsWith('"Lead_Status":"New Lead"}]')
  const edits = earlier.filter((line) => /\[\{"(?:Company|Loan_Amount)"|of the staff'$/.test(line))
  return isMoved ? [status, ...edits] : edits
}
