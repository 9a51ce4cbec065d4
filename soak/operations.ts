import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf, ODD_VALUES } from '../server/src/testing/bad-input.ts'
import { ROUTES, validBody } from '../server/src/testing/contract-routes.ts'
import type { Random } from '../server/src/testing/random.ts'
import { type Crm, StaffRefused } from './crm.ts'
import { type Ledger, TO_BE, type Tracked, track, writeDown } from './ledger.ts'
import type { Partner } from './partners.ts'

interface Play {
  crm: Crm
  partners: readonly Partner[]
  /** Each partner's id in the CRM. An administrator may merge it into another one. */
  zohoIds: readonly string[]
  ledger: Ledger
  random: Random
  /** A number that no other operation has. */
  number: number
  /** Whether the CRM has the groups of optional fields. */
  hasGroups: boolean
}

/** The next operation, with all random choices made. Undefined if there is no record that it could work on. */
type Operation = { record?: Tracked; isSlow?: boolean; run(): Promise<void> } | undefined

const STATUSES = [
  'New Lead',
  'Not Contacted',
  'Pre Call',
  'Contact Soon',
  'Attempting To Contact',
  'Contacted',
  'Lost Lead',
]
const STAGES = ['Re-Engage', 'Waiting On Application', 'Information Received', 'Pending Approval', 'Approved', 'Funded']

/** The relative frequency of each operation. */
const WEIGHTS: [number, (play: Play) => Operation][] = [
  [16, submitLead],
  [4, submitDeal],
  [10, writePartnerNote],
  [6, correctLead],
  [3, withdrawLead],
  [2, pressSync],
  [4, createInCrm],
  [18, setStatus],
  [6, setStatusAndBack],
  [12, setStage],
  [4, setStageAndBack],
  [5, convertLead],
  [3, reassign],
  [4, rename],
  [4, setAmount],
  [7, writeStaffNote],
  [5, sendFile],
  [3, attachAsStaff],
  [3, deleteAttachment],
  [4, ask],
  [4, answerLender],
  [4, changeTask],
  [3, deleteRecord],
  [3, restoreRecord],
  [2, askForReset],
  [4, sendHostileShape],
]
/** The same where the CRM has the groups of optional fields. */
const WEIGHTS_WITH_GROUPS: typeof WEIGHTS = [...WEIGHTS, [10, judgeLead], [12, enterCommission], [4, describePartner]]

export function chooseOperation(play: Play): Operation {
  const weights = play.hasGroups ? WEIGHTS_WITH_GROUPS : WEIGHTS
  let left = play.random.below(weights.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, choose] of weights) {
    left -= weight
    if (left < 0) return choose(play)
  }
  return undefined
}

function submitLead({ partners, ledger, random, number }: Play): Operation {
  const partner = random.pick(partners)
  const form = {
    firstName: 'Nkem',
    lastName: `Okafor ${number}`,
    email: `lead${number}@applicant.example`,
    phone: `+614${String(10_000_000 + number)}`,
    businessName: `Lead ${number} Freight`,
    loanAmount: 10_000 + number,
    loanType: 'Term Loan',
    loanTerm: '36 months',
    additionalInfo: random.chance(0.3) ? `Said ${number}` : undefined,
  }
  return {
    async run() {
      const { status, body } = await partner.post('/dashboard/leads', form)
      if (status !== 201) throw new Error(`submitting a lead was answered with ${status} ${JSON.stringify(body)}`)
      writeDown(track(ledger, { module: 'Leads', partner: partner.number, loid: body.data.loid }), 'submitted')
    },
  }
}

function submitDeal({ partners, ledger, random, number }: Play): Operation {
  const partner = random.pick(partners)
  const form = {
    businessName: `Deal ${number} Freight`,
    dealName: `Deal ${number}`,
    email: `deal${number}@applicant.example`,
    phone: `+614${String(20_000_000 + number)}`,
    amount: 500_000 + number,
    loanType: 'Equipment Financing',
  }
  return {
    async run() {
      const { status, body } = await partner.post('/webhook/deal', form)
      if (status !== 201) throw new Error(`submitting a deal was answered with ${status} ${JSON.stringify(body)}`)
      writeDown(track(ledger, { module: 'Deals', partner: partner.number, loid: body.data.loid }), 'submitted')
    },
  }
}

function writePartnerNote({ partners, ledger, random, number }: Play): Operation {
  const record = pick(ledger, random, (one) => one.loid !== undefined)
  if (!record) return undefined
  const content = `Note ${number} of the partner`
  return {
    record,
    async run() {
      const by = record.partner
      const body = { loid: record.loid, parent_type: record.module === 'Deals' ? 'deal' : 'lead', content }
      const { status } = (await partners[by]?.post('/crm/note', body)) ?? { status: 0 }
      writeDown(record, `partner ${by}'s note '${content}': ${status}`)
      // If the record has left the portal, the portal refuses the note.
      if (status === 201) ledger.notes.push({ content, record, by })
    },
  }
}

/** The lender may have touched the lead, or touches it at the same moment. Then the portal refuses, or leaves it alone. */
function correctLead(play: Play): Operation {
  const { number } = play
  const form = {
    firstName: 'Nkem',
    lastName: `Corrected ${number}`,
    email: `corrected${number}@applicant.example`,
    phone: `+614${String(30_000_000 + number)}`,
    businessName: `Corrected ${number} Freight`,
    loanAmount: 2_000_000 + number,
    loanType: 'Term Loan',
    loanTerm: '24 months',
    additionalInfo: `Corrected ${number}`,
  }
  return change(play, 'corrected', (by, loid) => by.tryOnce('PUT', `/crm/lead/${loid}`, form))
}

function withdrawLead(play: Play): Operation {
  const body = { reason: `Withdrawn ${play.number}` }
  return change(play, 'withdrawn', (by, loid) => by.tryOnce('POST', `/crm/lead/${loid}/withdraw`, body))
}

/** Prefers recent leads, which the lender may not have touched yet. In every third case staff edit the lead meanwhile. */
function change(
  { crm, partners, ledger, random, number }: Play,
  what: keyof typeof TO_BE,
  ask: (by: Partner, loid: string) => Promise<number>,
): Operation {
  const submitted = ledger.records.filter((one) => one.module === 'Leads' && one.loid !== undefined && !one.isConverted)
  const record = submitted.length > 0 ? random.pick(submitted.slice(-RECENT)) : undefined
  const edit = random.pick([{ Lead_Status: 'Contacted' }, { Loan_Amount: 3_000_000 + number }])
  const staff = random.chance(0.3) && record ? editOne(crm, record, [edit]) : undefined
  const staffMs = random.below(MEANWHILE_MS)
  return (
    record && {
      record,
      async run() {
        const by = partners[record.partner]
        writeDown(record, TO_BE[what])
        const edited = staff && sleep(staffMs).then(staff.run)
        const status = by && record.loid !== undefined ? await ask(by, record.loid) : 0
        await edited
        writeDown(record, `${what} by partner ${record.partner}: ${status}`)
      },
    }
  )
}

const RECENT = 12
/** So long the portal takes to look at a lead and to change it, if nothing hinders it. */
const MEANWHILE_MS = 150

function pressSync({ partners, random }: Play): Operation {
  const partner = random.pick(partners)
  return {
    isSlow: true,
    async run() {
      await partner.post('/crm/sync')
    },
  }
}

function createInCrm({ crm, partners, zohoIds, ledger, random, number }: Play): Operation {
  const partner = random.pick(partners)
  const isLead = random.chance(0.7)
  const Partner = { id: zohoIds[partner.number] }
  const record = isLead
    ? {
        Last_Name: `Staff ${number}`,
        Company: `Staff lead ${number}`,
        Email: `staff${number}@applicant.example`,
        Lead_Status: random.pick(STATUSES),
        Loan_Amount: 700_000 + number,
        Partner,
      }
    : {
        Deal_Name: `Staff deal ${number}`,
        Business_Name: `Staff deal ${number}`,
        Stage: random.pick(STAGES),
        Amount: 800_000 + number,
        Closing_Date: '2027-06-30',
        Partner,
      }
  return {
    async run() {
      const module = isLead ? 'Leads' : 'Deals'
      const zohoId = await crm.create(module, record).catch(ignoreRefusal)
      if (zohoId === undefined) return
      writeDown(track(ledger, { module, partner: partner.number, zohoId }), 'made by staff')
    },
  }
}

/** An administrator may have deleted the partner's record, or made a rule that the record breaks. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof StaffRefused)) throw error
}

function setStatus(play: Play): Operation {
  return edit(play, 'Leads', [{ Lead_Status: play.random.pick(STATUSES) }])
}

function setStatusAndBack(play: Play): Operation {
  const [a, b] = [play.random.pick(STATUSES), play.random.pick(STATUSES)]
  return edit(play, 'Leads', [{ Lead_Status: a }, { Lead_Status: b }, { Lead_Status: a }])
}

function setStage(play: Play): Operation {
  return edit(play, 'Deals', [{ Stage: play.random.pick(STAGES) }])
}

function setStageAndBack(play: Play): Operation {
  const [a, b] = [play.random.pick(STAGES), play.random.pick(STAGES)]
  return edit(play, 'Deals', [{ Stage: a }, { Stage: b }, { Stage: a }])
}

function rename(play: Play): Operation {
  return play.random.chance(0.6)
    ? edit(play, 'Leads', [{ Company: `Renamed ${play.number}`, Description: `Told staff ${play.number}` }])
    : edit(play, 'Deals', [{ Deal_Name: `Renamed ${play.number}`, Business_Name: `Renamed ${play.number}` }])
}

function setAmount(play: Play): Operation {
  const amount = 1_000_000 + play.number
  return play.random.chance(0.6)
    ? edit(play, 'Leads', [{ Loan_Amount: amount }])
    : edit(play, 'Deals', [{ Amount: amount }])
}

function judgeLead(play: Play): Operation {
  const { random } = play
  const day = `2031-0${1 + random.below(9)}-15`
  return edit(play, 'Leads', [
    random.pick([
      { Partner_Verdict: 'Yours', Protected_Until: day },
      { Partner_Verdict: 'Already with us', Verdict_Reason: `Applied before ${play.number}`, Protected_Until: null },
      { Partner_Verdict: null, Verdict_Reason: null, Protected_Until: null },
      { Protected_Until: day },
    ]),
  ])
}

/** Cents and negative amounts too. A commission that was paid stays paid, so that it may be told only once. */
function enterCommission(play: Play): Operation {
  const { random, number } = play
  const amount = (random.below(2_000_000) - 200_000) / 100
  const isPaid = random.chance(0.3)
  return edit(play, 'Deals', [
    {
      Partner_Commission: random.chance(0.1) ? null : amount,
      ...(isPaid && { Commission_Status: 'Paid', Commission_Paid_On: random.pick([null, '2026-02-28']) }),
      Commission_Note: random.chance(0.3) ? `Commission ${number}` : null,
    },
  ])
}

/** Who looks after the partner, and its tax details, which are told by the partner's own record. */
function describePartner({ crm, zohoIds, random, number }: Play): Operation {
  const zohoId = random.pick(zohoIds)
  const values = random.pick([
    { Partner_Manager_Name: `Manager ${number}`, Partner_Manager_Phone: '02 5550 1900' },
    { Partner_Manager_Email: `manager${number}@lender.example` },
    { Partner_Manager_Name: null, Partner_Manager_Phone: null, Partner_Manager_Email: null },
    { ABN: '53004085616', GST_Registered: random.pick(['Yes', 'No']) },
  ])
  return { run: () => crm.update('Partners', zohoId, values).catch(ignoreRefusal) }
}

function edit({ crm, ledger, random }: Play, module: Tracked['module'], changes: Record<string, unknown>[]): Operation {
  const record = pick(ledger, random, (one) => one.module === module && !one.isConverted)
  return record && editOne(crm, record, changes)
}

function editOne(crm: Crm, record: Tracked, changes: Record<string, unknown>[]): NonNullable<Operation> {
  return byStaff(crm, record, JSON.stringify(changes), async (zohoId) => {
    for (const change of changes) {
      await crm.update(record.module, zohoId, change)
      for (const [field, value] of Object.entries(change)) record.staffSet.set(field, value)
    }
  })
}

/** Every fourth conversion makes no deal. */
const WITHOUT_DEAL = 4

function convertLead({ crm, ledger, random, number }: Play): Operation {
  const lead = pick(ledger, random, (one) => one.module === 'Leads' && !one.isConverted)
  const deal = {
    Deal_Name: `Converted ${number}`,
    Stage: random.pick(STAGES),
    Closing_Date: '2027-03-31',
    Amount: 900_000 + number,
  }
  return (
    lead &&
    byStaff(crm, lead, 'converted', async (zohoId) => {
      const isWithoutDeal = number % WITHOUT_DEAL === 0
      const dealId = await crm.convert(zohoId, isWithoutDeal ? undefined : deal)
      lead.isConverted = true
      if (dealId === undefined) return
      const { partner, loid, log } = lead
      lead.deal = track(ledger, { module: 'Deals', partner, loid, zohoId: dealId, log: [...log] })
      writeDown(lead.deal, `converted from lead ${zohoId}`)
    })
  )
}

function reassign({ crm, partners, zohoIds, ledger, random }: Play): Operation {
  const record = pick(ledger, random, (one) => !one.isConverted)
  const to = random.pick(partners).number
  return (
    record &&
    byStaff(crm, record, `given to partner ${to}`, async (zohoId) => {
      await crm.update(record.module, zohoId, { Partner: { id: zohoIds[to] } })
      record.partner = to
      record.isGiven = true
    })
  )
}

function writeStaffNote({ crm, ledger, random, number }: Play): Operation {
  const record = pick(ledger, random, (one) => !one.isConverted)
  const content = `Note ${number} of the staff`
  return (
    record &&
    byStaff(crm, record, `note '${content}'`, async (zohoId) => {
      await crm.addNote(record.module, zohoId, content)
      ledger.notes.push({ content, record, by: 'staff' })
    })
  )
}

function sendFile({ partners, ledger, random, number }: Play): Operation {
  const record = pick(ledger, random, (one) => one.loid !== undefined)
  const name = `file ${number}.txt`
  const content = new TextEncoder().encode(`What ${name} says`)
  const sha256 = createHash('sha256').update(content).digest('hex')
  return (
    record && {
      record,
      async run() {
        const by = partners[record.partner]
        const begun = await by?.post(`/crm/documents/${record.loid}`, { name, size: content.byteLength, sha256 })
        // The portal refuses a file for a record that has left it.
        if (!by || begun?.status !== 200) return
        const { id } = begun.body.data.document
        await by.putBytes(`/crm/document/${id}/parts?number=0`, content)
        const { status } = await by.post(`/crm/document/${id}/complete`)
        writeDown(record, `partner ${record.partner}'s ${name}: ${status}`)
        if (status === 200) ledger.files.push({ name, record, isRemoved: false })
      },
    }
  )
}

/** Staff attach files. Half of them are for the partner. */
function attachAsStaff({ crm, ledger, random, number }: Play): Operation {
  const record = pick(ledger, random, (one) => !one.isConverted)
  const name = `${number % 2 === 0 ? 'Partner' : 'Memo'} ${number}.txt`
  return (
    record &&
    byStaff(crm, record, `attached ${name}`, async (zohoId) => {
      await crm.attach(record.module, zohoId, name)
      if (name.startsWith('Partner')) ledger.attachments.push({ name, record })
    })
  )
}

/** Staff delete the newest file of a record, which may be the partner's. */
function deleteAttachment({ crm, ledger, random }: Play): Operation {
  const withFiles = [...ledger.files, ...ledger.attachments].map(({ record }) => record)
  const record = withFiles.length > 0 ? random.pick(withFiles.slice(-RECENT)) : undefined
  return (
    record && {
      record,
      async run() {
        if (record.zohoId === undefined || record.isDeleted) return
        const [newest] = await crm.attachments(record.module, record.zohoId)
        if (!newest) return
        for (const file of ledger.files) file.isRemoved ||= newest.name.endsWith(file.name)
        await crm.removeAttachment(record.module, record.zohoId, newest.id)
        writeDown(record, `deleted ${newest.name}`)
      },
    }
  )
}

function ask({ crm, ledger, random, number }: Play): Operation {
  const record = pick(ledger, random, (one) => !one.isConverted)
  const subject = `Paper ${number}`
  return (
    record &&
    byStaff(crm, record, `asked for ${subject}`, async (id) => {
      const task = { Subject: `Partner: ${subject}`, Status: 'Not Started', What_Id: { id } }
      const zohoId = await crm.create('Tasks', task)
      ledger.tasks.push({ subject, zohoId, record, wasAccepted: false, isRemoved: false })
    })
  )
}

function answerLender({ partners, ledger, random, number }: Play): Operation {
  const task = ledger.tasks.length > 0 ? random.pick(ledger.tasks.slice(-RECENT)) : undefined
  const content = `Answer ${number} of the partner`
  return (
    task && {
      record: task.record,
      async run() {
        const { record, subject } = task
        const by = partners[record.partner]
        const kind = record.module === 'Deals' ? 'deal' : 'lead'
        const { body } = (await by?.get(`/crm/${kind}/${record.loid}`)) ?? { body: undefined }
        const request = body?.data?.requests?.find((one: { subject: string }) => one.subject === subject)
        if (!by || !request || !['asked', 'again'].includes(request.state)) return
        const { status } = await by.post(`/crm/request/${request.id}/answer`, { content })
        writeDown(record, `partner ${record.partner}'s '${content}' to ${subject}: ${status}`)
        if (status === 201) ledger.notes.push({ content, record, by: record.partner })
      },
    }
  )
}

/** Staff accept an answer, ask again, or ask no longer. */
function changeTask({ crm, ledger, random, number }: Play): Operation {
  const open = ledger.tasks.filter(({ isRemoved }) => !isRemoved)
  const task = open.length > 0 ? random.pick(open.slice(-RECENT)) : undefined
  const what = random.pick(['accepted', 'asked again', 'asked again', 'removed'] as const)
  return (
    task && {
      record: task.record,
      async run() {
        if (task.isRemoved) return
        if (what === 'removed') {
          await crm.remove('Tasks', task.zohoId)
          task.isRemoved = true
        } else {
          const again = { Status: 'Waiting for input', Description: `Again ${number}` }
          await crm.update('Tasks', task.zohoId, what === 'accepted' ? { Status: 'Completed' } : again)
          task.wasAccepted ||= what === 'accepted'
        }
        writeDown(task.record, `${task.subject} ${what}`)
      },
    }
  )
}

function deleteRecord({ crm, ledger, random }: Play): Operation {
  const record = pick(ledger, random, (one) => !one.isConverted)
  return (
    record &&
    byStaff(crm, record, 'deleted', async (zohoId) => {
      // If the portal can read nothing, an answer is lost and the record is deleted before the next push, that push cannot
      // know it (docs/decisions/sync.md).
      if (ledger.isHidden) return
      await crm.remove(record.module, zohoId)
      record.isDeleted = true
    })
  )
}

function restoreRecord({ crm, ledger, random }: Play): Operation {
  const deleted = ledger.records.filter((one) => one.isDeleted)
  const record = deleted.length > 0 ? random.pick(deleted) : undefined
  return (
    record && {
      record,
      async run() {
        if (!record.isDeleted || record.zohoId === undefined) return
        await crm.restore(record.zohoId)
        record.isDeleted = false
        writeDown(record, 'restored')
      },
    }
  )
}

function askForReset({ partners, ledger, random }: Play): Operation {
  const { number, email, tryOnce } = random.pick(partners)
  return {
    async run() {
      const resets = ledger.resets.get(number) ?? { asked: 0, accepted: 0 }
      ledger.resets.set(number, resets)
      // A request that was not answered may have been accepted.
      resets.asked += 1
      const status = await tryOnce('POST', '/auth/forgot-password', { email })
      if (status === 200) resets.accepted += 1
      else if (status !== 503) ledger.faults.push(`asking for a reset link was answered with ${status}`)
    },
  }
}

const HOSTILE_ROUTES = ROUTES.filter((route) => fieldsOf(route.body).length > 0)
const HOSTILE_SHAPES = ODD_VALUES.filter(
  (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
)

/** An object where a text or a number is expected. No answer may be an internal error. */
function sendHostileShape({ partners, ledger, random }: Play): Operation {
  const partner = random.pick(partners)
  const route = random.pick(HOSTILE_ROUTES)
  const body = { ...validBody(route), [random.pick(fieldsOf(route.body))]: random.pick(HOSTILE_SHAPES) }
  return {
    async run() {
      const status = await partner.tryOnce(route.method, route.path.replace(/:\w+/, 'LO-00000000'), body)
      if (status > 499 && status !== 503) {
        ledger.faults.push(`${route.method} ${route.path} answered ${status} to ${JSON.stringify(body)}`)
      }
    },
  }
}

function pick(ledger: Ledger, random: Random, suits: (record: Tracked) => boolean): Tracked | undefined {
  const found = ledger.records.filter((record) => !record.isDeleted && suits(record))
  return found.length > 0 ? random.pick(found) : undefined
}

/** Staff work on records that the CRM has. Records that have not reached the CRM yet are skipped. */
function byStaff(
  crm: Crm,
  record: Tracked,
  what: string,
  work: (zohoId: string) => Promise<void>,
): NonNullable<Operation> {
  return {
    record,
    async run() {
      if (record.isDeleted || record.isConverted) return
      if (record.loid !== undefined) record.zohoId ??= await crm.findByLoid(record.module, record.loid)
      if (record.zohoId === undefined) return
      try {
        await work(record.zohoId)
        writeDown(record, what)
      } catch (error) {
        if (!(error instanceof StaffRefused)) throw error
        writeDown(record, `${what}: refused, ${error.message}`)
      }
    },
  }
}
