import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SignUp } from '@portal/contract/accounts.ts'
import { DealFilters } from '@portal/contract/deals.ts'
import { FIELD_GROUPS } from '@portal/contract/field-groups.ts'
import { LeadFilters } from '@portal/contract/leads.ts'
import { PAGE_SIZE_MAX } from '@portal/contract/limits.ts'
import { viewQuery } from '@portal/contract/views.ts'
import * as z from 'zod/mini'
import { pullDueDetails } from '../crm/pull/details/pull-details.job.ts'
import { noteFieldGroups } from '../crm/pull/fields/optional-values.ts'
import { findRowsOf } from '../crm/pull/find-rows-of.ts'
import { pullDocumentsOf } from '../crm/pull/pull-documents.ts'
import { pullForAll } from '../crm/pull/pull-for-all.ts'
import { pullNotesOf } from '../crm/pull/pull-notes.ts'
import { pullPartners } from '../crm/pull/pull-partners.ts'
import { pullRecords } from '../crm/pull/pull-records.ts'
import { connectRecords } from '../crm/pull/run/connect-records.job.ts'
import { startSync } from '../crm/pull/run/start-sync.ts'
import { pushLead } from '../crm/push/push-lead.job.ts'
import { pushNote } from '../crm/push/push-note.job.ts'
import type { Deps } from '../deps.ts'
import { beginSession } from '../features/accounts/begin-session.ts'
import { confirmEmail } from '../features/accounts/confirm-email.ts'
import { DEMO_SIGN_IN } from '../features/accounts/demo-sign-in.ts'
import { hashPassword } from '../features/accounts/passwords.ts'
import { findPersonByEmail } from '../features/accounts/people.queries.ts'
import { findCaller } from '../features/accounts/sessions.ts'
import { signUpPartner } from '../features/accounts/sign-up.ts'
import { findKeyCaller } from '../features/api-keys/find-key-caller.ts'
import { generateKey } from '../features/api-keys/generate-key.ts'
import { markSeen } from '../features/inbox/mark-seen.ts'
import { submitLead } from '../features/leads/submit-lead.ts'
import { tellNews } from '../features/mails/tell-news.job.ts'
import { addNoteToRecord } from '../features/notes/add-note.ts'
import { createSecurityStore } from '../features/security-log/store-security.ts'
import { acceptTeamInvitation } from '../features/team/accept-invitation.ts'
import { inviteToTeam } from '../features/team/invite-person.ts'
import { changeView } from '../features/views/change-view.ts'
import { keepView } from '../features/views/keep-view.ts'
import { insertInboundCall } from '../features/webhooks/inbound-log.queries.ts'
import { newId } from '../platform/db/ids.ts'
import type { Caller, SessionCaller } from '../platform/http/authenticate.ts'
import { type NoteSecurity, noteSecurity } from '../platform/http/security-events.ts'
import type { Visitor } from '../platform/http/visitor.ts'
import type { Job } from '../platform/jobs/define-job.ts'
import type { CrmModule } from '../records/crm-records.ts'
import { findDeals } from '../records/deals/deal-list.queries.ts'
import { findDocuments } from '../records/documents/documents.queries.ts'
import { computeUsualTimes } from '../records/histories/compute-usual-times.job.ts'
import { findLeads } from '../records/leads/lead-list.queries.ts'
import { findLeadsToPush } from '../records/leads/leads.queries.ts'
import { findNotes, findNotesToPush } from '../records/notes/notes.queries.ts'
import { getPartner } from '../records/partners/partners.queries.ts'
import { BACKGROUND_JOBS } from './background-jobs.ts'
import { pdfOf } from './demo-files.ts'
import { playRequest } from './demo-requests.ts'
import { type Act, instantOf, NOTE_TITLES, STORY } from './demo-story.ts'

const MIA = SignUp.parse({
  ...DEMO_SIGN_IN,
  businessName: 'Harbour Finance Brokers',
  firstName: 'Mia',
  lastName: 'Harbour',
})
/** A colleague with the same password. */
const TOM = { email: 'tom@harbourfinance.example', firstName: 'Tom', lastName: 'Reid', role: 'member' as const }
const EMAILS = { mia: MIA.email, tom: TOM.email }

/** A mail at once leaves two minutes after the news (fan-out-news.ts). */
const MAILS_AFTER_MS = 150_000
const BROWSER = 'Chrome on macOS'
const PARTNER_LEADS = '/api/partner/leads'

/**
 * Plays three weeks of a broker's and a lender's life (demo-story.ts), unless this was done before (D138). Each act goes
 * the way that it takes in real use, with the clocks of the portal and of the sandbox set to its time: the portal's
 * rules and jobs, or a form of the sandbox's staff page and a pull. A file in DATA_DIR counts the acts that are done, so
 * a start that was cut off continues with the act that it was at.
 */
export async function seedDemo(deps: Deps): Promise<void> {
  const progress = await openProgress(deps)
  if (!progress) return
  const { log } = deps
  log.info('the demo’s three weeks are being played')
  const { level } = log
  // The story's mails and sign-ins would fill the terminal.
  log.level = 'warn'
  try {
    await playStory(deps, progress)
  } finally {
    log.level = level
  }
}

async function playStory(deps: Deps, progress: OpenProgress): Promise<void> {
  // Also gets the access token, while the sandbox's clock is right.
  const crmUrl = await deps.crm.apiDomain()
  await deps.crm.makeMissingFields(FIELD_GROUPS)
  await noteFieldGroups(deps)
  const stage = await setStage(deps, crmUrl)
  const now = new Date(progress.startedAt)
  for (const [index, act] of STORY.entries()) {
    if (index < progress.acts) continue
    const at = instantOf(act.when, now)
    const before = STORY[index - 1]
    if (before) await stage.tellNews(before, instantOf(before.when, now), at)
    if (index === progress.acts && index > 0) await stage.catchUp(at)
    await stage.play(act, at)
    await progress.keep(index + 1)
  }
  await stage.end()
  await progress.end()
}

/** Returns undefined if the demo is complete. */
async function openProgress({ db, config, clock }: Pick<Deps, 'db' | 'config' | 'clock'>) {
  const file = join(config.dataDir, 'demo.json')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept === undefined && (await findPersonByEmail(db, MIA.email))) return undefined
  const { startedAt, acts } = kept
    ? Progress.parse(JSON.parse(kept))
    : { startedAt: clock.now().toISOString(), acts: 0 }
  await keep(acts)

  async function keep(done: number): Promise<void> {
    await mkdir(config.dataDir, { recursive: true })
    await writeFile(`${file}.new`, JSON.stringify({ startedAt, acts: done }))
    await rename(`${file}.new`, file)
  }
  return { startedAt, acts, keep, end: () => rm(file) }
}

type OpenProgress = NonNullable<Awaited<ReturnType<typeof openProgress>>>

const Progress = z.object({ startedAt: z.string(), acts: z.number() })

interface Referral {
  loid: string
  on: 'lead' | 'deal'
  amount: number | null
  loanType: string | null
}

/** Where the acts are played. It remembers the LOIDs of the referrals, by business. */
async function setStage(deps: Deps, crmUrl: string) {
  const referrals = new Map<string, Referral>()
  const visitor: Visitor = {
    address: '203.0.113.7',
    ip: '203.0.113.7',
    browser: BROWSER,
    networks: ['203.0.113.7'],
    marks: [],
    earlierMarks: [],
    keepMarks(marks) {
      visitor.marks = marks
    },
  }
  let apiKey: string | undefined
  let invitationToken = ''
  await learnReferrals()

  return { play, tellNews: tellNewsBetween, catchUp, end }

  async function play(act: Act, time: Date): Promise<void> {
    await setCrmClock(time)
    const { acting, finish } = actAt(time)
    await perform(acting, act)
    await finish()
    // The sandbox already has referrals of the partner, which come as soon as it is let in.
    if (act.does !== 'confirm' && act.does !== 'partner fields') return
    await runJob(time, pullDueDetails, {})
    await learnReferrals()
  }

  /** The portal at a time in the past. Jobs do not wait for the queue: `finish` runs them, and those that they add. */
  function actAt(time: Date): { acting: Deps; finish: () => Promise<void> } {
    const began = performance.now()
    const waiting: { name: string; payload: object }[] = []
    const clock = { now: () => new Date(time.getTime() + Math.floor(performance.now() - began)) }
    const acting: Deps = {
      ...deps,
      clock,
      jobs: {
        ...deps.jobs,
        async enqueue(_tx, { name }, payload) {
          waiting.push({ name, payload })
        },
        async insertOf({ name }, payload) {
          waiting.push({ name, payload })
          return { sql: 'select', parameters: [] }
        },
      },
      mail: {
        ...deps.mail,
        send(mail) {
          for (const part of mail.parts) {
            if (part.part !== 'button') continue
            invitationToken = /\/invite\?token=([\w-]+)/.exec(part.url)?.[1] ?? invitationToken
          }
          return deps.mail.send({ id: newId(clock.now()), date: clock.now(), ...mail })
        },
      },
    }
    async function finish(): Promise<void> {
      for (const { name, payload } of waiting) {
        const job = BACKGROUND_JOBS.find((one) => one.name === name)
        await job?.run(acting, payload, new AbortController().signal, newId(clock.now()))
      }
    }
    return { acting, finish }
  }

  async function runJob(time: Date, job: Job, payload: object): Promise<void> {
    const { acting, finish } = actAt(time)
    await job.run(acting, payload, new AbortController().signal, newId(acting.clock.now()))
    await finish()
  }

  /** Sets the sandbox's clock to this time, or right. */
  async function setCrmClock(time: Date | undefined): Promise<void> {
    const seconds = time ? Math.round((time.getTime() - deps.clock.now().getTime()) / 1_000) : 0
    const answer = await fetch(`${crmUrl}/sandbox/behaviour`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clockShiftSeconds: seconds }),
    })
    if (!answer.ok) throw new Error(`the sandbox did not set its clock: ${await answer.text()}`)
  }

  async function perform(acting: Deps, act: Act): Promise<void> {
    switch (act.does) {
      case 'sign up':
        return signUp(acting)
      case 'confirm':
        return confirm(acting)
      case 'invite':
        await acting.db.transaction().execute(async (tx) => inviteToTeam(tx, acting, await signIn(acting, 'mia'), TOM))
        return
      case 'join': {
        const call = { visitor, security: securityOf(acting) }
        if (await findPersonByEmail(acting.db, TOM.email)) return
        await acceptTeamInvitation(acting, { token: invitationToken, password: MIA.password }, call)
        return
      }
      case 'look': {
        await findCaller(acting, (await signIn(acting, 'tom')).token)
        const mia = await signIn(acting, 'mia')
        return markSeen(acting, mia, { until: acting.clock.now().toISOString() })
      }
      case 'submit': {
        if (referrals.has(act.lead.businessName)) return
        const by = await callerOf(acting, act.by)
        const { id, loid, lead_status } = await acting.db
          .transaction()
          .execute((tx) => submitLead(tx, acting, by, act.lead))
        if (act.by === 'website') {
          const answer = { success: true, data: { id, loid, status: lead_status } }
          const call = { endpoint: PARTNER_LEADS, status: 'success' as const, response_status: 201, loid }
          const bodies = { request_body: JSON.stringify(act.lead), response_body: JSON.stringify(answer) }
          const row = { partner_id: by.id, api_key: by.submitter.name, error_message: null, ...call, ...bodies }
          await insertInboundCall(acting.db, row, acting.clock.now())
        }
        referrals.set(act.lead.businessName, {
          loid,
          on: 'lead',
          amount: act.lead.loanAmount,
          loanType: act.lead.loanType,
        })
        return
      }
      case 'note': {
        const { loid, on } = find(act.on)
        if (await hasNote(acting, act)) return
        const by = await callerOf(acting, act.by)
        const note = { loid, on, title: NOTE_TITLES[on], content: act.content }
        await acting.db.transaction().execute((tx) => addNoteToRecord(tx, acting, by, note))
        return
      }
      case 'status':
        return actAsStaff(acting, act.on, 'status', { status: act.to })
      case 'fields':
        return actAsStaff(acting, act.on, 'fields', act.fields)
      case 'partner fields':
        return fillPartner(acting, act.fields)
      case 'stage':
        return actAsStaff(acting, act.on, 'stage', { stage: act.to })
      case 'convert': {
        const referral = find(act.on)
        if (referral.on === 'deal') return
        const name = `${act.on} – ${referral.loanType}`
        await actAsStaff(acting, act.on, 'convert', { name, stage: act.to, amount: String(referral.amount) })
        referrals.set(act.on, { ...referral, on: 'deal' })
        return
      }
      case 'ask':
      case 'ask again':
      case 'accept':
      case 'answer': {
        const { loid } = find(act.on)
        const by = await callerOf(acting, act.does === 'answer' ? act.by : 'mia')
        return playRequest(acting, act, {
          loid,
          by,
          send: async (what, form) => void (await sendForm(act.on, what, form)),
        })
      }
      case 'attach':
        return attach(acting, act)
      case 'keep view': {
        const mia = await signIn(acting, 'mia')
        const { id } = await keepView(acting, mia, { list: 'leads', name: act.name, query: viewQuery(act.query) })
        await changeView(acting, mia, id, { is_shared: true })
        return
      }
      case 'lender note':
        if (await hasNote(acting, act)) return
        return actAsStaff(acting, act.on, 'notes', { title: act.title, content: act.content })
    }
  }

  async function signUp(acting: Deps): Promise<void> {
    if (await findPersonByEmail(acting.db, MIA.email)) return
    const passwordHash = await hashPassword(MIA.password)
    await acting.db.transaction().execute((tx) => signUpPartner(tx, acting, MIA, passwordHash))
  }

  /** The sandbox already has a record of this partner, which is linked only if the address is confirmed (D52). */
  async function confirm(acting: Deps): Promise<void> {
    const mia = await getByEmail(acting, MIA.email)
    await acting.db
      .transaction()
      .execute((tx) =>
        confirmEmail(tx, mia, (within, partnerId) => acting.jobs.enqueue(within, connectRecords, { partnerId })),
      )
  }

  /** Submits and notes need nobody who is signed in, but a rule that gives access checks the session. */
  async function signIn(acting: Deps, who: 'mia' | 'tom'): Promise<SessionCaller> {
    const person = await getByEmail(acting, EMAILS[who])
    const call = { visitor, security: securityOf(acting) }
    const begun = await beginSession(acting, person, call, { factor: 'password', stillCounts: async () => true })
    const { id: personId, role } = person
    return {
      ...(await callerOf(acting, who)),
      personId,
      role,
      personRights: [],
      mustSetUpSecondFactor: false,
      token: begun.token,
    }
  }

  async function callerOf(acting: Deps, who: 'mia' | 'tom' | 'website'): Promise<Caller> {
    if (who !== 'website') {
      const { id, partner_id, business_name, first_name, last_name } = await getByEmail(acting, EMAILS[who])
      return { id: partner_id, businessName: business_name, submitter: { id, name: `${first_name} ${last_name}` } }
    }
    apiKey ??= await generateKey(acting, await signIn(acting, 'mia'), securityOf(acting))
    const caller = await findKeyCaller(acting, apiKey)
    if (!caller) throw new Error('the demo’s API key is gone')
    return caller
  }

  /** Sends a form of the sandbox's staff page. Returns the record that it shows then. */
  async function sendForm(business: string, what: string, form: Record<string, string>) {
    const { loid, on } = find(business)
    const body = new URLSearchParams(form)
    const answer = await fetch(`${crmUrl}/${on}s/${loid}/${what}`, { method: 'POST', body, redirect: 'manual' })
    const to = new URL(answer.headers.get('location') ?? '', crmUrl)
    const [, section, zohoId = ''] = to.pathname.split('/')
    if (answer.status !== 303 || to.searchParams.has('problem')) {
      throw new Error(`the sandbox refused ${what} of ${business}: ${to.search}`)
    }
    const module: CrmModule = section === 'deals' ? 'Deals' : 'Leads'
    return { module, zohoId }
  }

  /** Sends a form of the sandbox's staff page, and pulls what it changed. */
  async function actAsStaff(acting: Deps, business: string, what: string, form: Record<string, string>): Promise<void> {
    const { module, zohoId } = await sendForm(business, what, form)
    const { signal } = new AbortController()
    if (what !== 'notes') {
      await pullRecords(pullForAll(acting, module === 'Deals' ? 'deals' : 'leads', signal), module, [zohoId])
      return
    }
    const rows = await findRowsOf(acting, module, [zohoId])
    const records = rows.map((row) => ({ ...row, module, zoho_id: zohoId }))
    await pullNotesOf({ deps: acting, signal }, records, () => true)
  }

  /** Attaches a file as staff, and looks at the record's documents before and after, so that the file is news. */
  async function attach(acting: Deps, { on, name, lines }: Extract<Act, { does: 'attach' }>): Promise<void> {
    const { loid, on: kind } = find(on)
    const { partner_id } = await getByEmail(acting, MIA.email)
    const look = () => pullDocumentsOf(acting, partner_id, loid, { isWanted: true })
    await look()
    if ((await findDocuments(acting.reads, partner_id, loid)).some((document) => document.name === name)) return
    const form = new FormData()
    form.append('file', new Blob([pdfOf(lines)]), name)
    await fetch(`${crmUrl}/${kind}s/${loid}/attachments`, { method: 'POST', body: form, redirect: 'manual' })
    await look()
  }

  async function fillPartner(acting: Deps, fields: Record<string, string>): Promise<void> {
    const { partner_id } = await getByEmail(acting, MIA.email)
    const { zoho_id } = await getPartner(acting.db, partner_id)
    const body = new URLSearchParams(fields)
    await fetch(`${crmUrl}/partners/${zoho_id}/fields`, { method: 'POST', body, redirect: 'manual' })
    await pullPartners(acting, zoho_id === null ? [] : [zoho_id], new AbortController().signal)
  }

  async function hasNote(acting: Deps, { on, content }: { on: string; content: string }): Promise<boolean> {
    const { partner_id } = await getByEmail(acting, MIA.email)
    const notes = await findNotes(acting.reads, partner_id, find(on).loid)
    return notes.some((note) => note.content === content)
  }

  async function learnReferrals(): Promise<void> {
    const mia = await findPersonByEmail(deps.db, MIA.email)
    if (!mia) return
    const owner = { id: mia.partner_id, businessName: mia.business_name }
    const all = { limit: PAGE_SIZE_MAX }
    const leads = await findLeads(deps, owner, LeadFilters.parse(all), deps.config.timezone)
    const deals = await findDeals(deps, owner.id, DealFilters.parse(all), deps.config.timezone)
    for (const { business_name, loid, loan_amount: amount, loan_type: loanType } of leads.rows) {
      if (business_name) referrals.set(business_name, { loid, on: 'lead', amount, loanType })
    }
    for (const { business_name, loid, amount, loan_type: loanType } of deals.rows) {
      if (business_name) referrals.set(business_name, { loid, on: 'deal', amount, loanType })
    }
  }

  function find(business: string): Referral {
    const found = referrals.get(business)
    if (!found) throw new Error(`the demo has no referral of ${business}`)
    return found
  }

  /** Between two acts, mails go out soon after what the lender did, and at eight on working days. */
  async function tellNewsBetween(before: Act, from: Date, to: Date): Promise<void> {
    const times = isLenders(before) ? [Math.min(from.getTime() + MAILS_AFTER_MS, to.getTime())] : []
    for (let day = 0; day < 15; day++) {
      const eight = instantOf({ day, time: '08:01' }, to)
      if (from < eight && eight < to) times.push(eight.getTime())
    }
    for (const time of times.toSorted((a, b) => a - b)) await runJob(new Date(time), tellNews, {})
  }

  /** Brings the portal to what the CRM and the portal's own rows say, after a start that was cut off. */
  async function catchUp(time: Date): Promise<void> {
    const mia = await findPersonByEmail(deps.db, MIA.email)
    if (!mia) return
    await setCrmClock(time)
    const { acting, finish } = actAt(time)
    const { partner_id: partnerId } = mia
    for (const loid of await findLeadsToPush(deps.db, partnerId))
      await acting.jobs.enqueue(deps.db, pushLead, { partnerId, loid })
    for (const noteId of await findNotesToPush(deps.db, partnerId))
      await acting.jobs.enqueue(deps.db, pushNote, { partnerId, noteId })
    await startSync(acting, partnerId, 'all')
    await finish()
    await learnReferrals()
  }

  async function end(): Promise<void> {
    await setCrmClock(undefined)
    const now = deps.clock.now()
    for (const job of [tellNews, pullDueDetails, computeUsualTimes]) await runJob(now, job, {})
  }
}

function securityOf(deps: Deps): NoteSecurity {
  const noted = { log: deps.log, store: createSecurityStore(deps) }
  return (db, event, facts) => noteSecurity(noted, db, event, { ...facts, ip: '203.0.113.7', browser: BROWSER })
}

async function getByEmail({ db }: Pick<Deps, 'db'>, email: string) {
  const person = await findPersonByEmail(db, email)
  if (!person) throw new Error(`${email} has no account`)
  return person
}

function isLenders({ does }: Act): boolean {
  return ['status', 'stage', 'fields', 'convert', 'lender note', 'ask', 'ask again', 'accept', 'attach'].includes(does)
}
