import { personName } from '@portal/contract/person-name.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import { LeadSubmission } from '@portal/contract/submissions.ts'
import { viewQuery } from '@portal/contract/views.ts'
import type { Deps } from '../../deps.ts'
import { findPersonByEmail } from '../../features/accounts/people.queries.ts'
import { findCaller } from '../../features/accounts/sessions.ts'
import { markSeen } from '../../features/inbox/mark-seen.ts'
import { submitLead } from '../../features/leads/submit-lead.ts'
import { addNoteToRecord } from '../../features/notes/add-note.ts'
import { acceptTeamInvitation } from '../../features/team/accept-invitation.ts'
import { inviteToTeam } from '../../features/team/invite-person.ts'
import { changeView } from '../../features/views/change-view.ts'
import { keepView } from '../../features/views/keep-view.ts'
import { insertInboundCall } from '../../features/webhooks/inbound-log.queries.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import { invalidFromIssues } from '../../platform/http/invalid-from-issues.ts'
import { findNotes } from '../../records/notes/notes.queries.ts'
import { type Cast, confirm, getByEmail, MIA, securityOf, signUp, TOM } from './cast.ts'
import type { DemoLender } from './lender.ts'
import type { Referrals } from './referrals.ts'
import { playRequest } from './requests.ts'
import { type Act, NOTE_TITLES } from './story.ts'

const PARTNER_LEADS = '/api/partner/leads'

/** Who plays the acts, and on what. */
export interface Stage {
  cast: Cast
  lender: DemoLender
  referrals: Referrals
  /** Of the last invitation that was mailed. */
  invitationToken: string
}

export async function perform(
  { cast, lender, referrals, invitationToken }: Stage,
  acting: Deps,
  act: Act,
): Promise<void> {
  switch (act.does) {
    case 'sign up':
      return signUp(acting)
    case 'confirm':
      return confirm(acting)
    case 'invite': {
      const mia = await cast.signIn(acting, 'mia')
      await acting.db.transaction().execute(async (tx) => {
        const { id, role, ...named } = await inviteToTeam(tx, acting, mia, TOM)
        const invited = { subject: { id, name: personName(named) }, detail: ROLE_NAMES[role] }
        await securityOf(acting, mia)(tx, 'person-invited', invited)
      })
      return
    }
    case 'join': {
      const call = { visitor: cast.visitor, security: securityOf(acting) }
      if (await findPersonByEmail(acting.db, TOM.email)) return
      await acceptTeamInvitation(acting, { token: invitationToken, password: MIA.password }, call)
      return
    }
    case 'look': {
      await findCaller(acting, (await cast.signIn(acting, 'tom')).token)
      const mia = await cast.signIn(acting, 'mia')
      return markSeen(acting, mia, { until: acting.clock.now().toISOString() })
    }
    case 'submit': {
      if (referrals.has(act.lead.businessName)) return
      const by = await cast.callerOf(acting, act.by)
      const { id, loid, lead_status } = await acting.db
        .transaction()
        .execute((tx) => submitLead(tx, acting, by, act.lead))
      if (act.by === 'website') {
        const answer = { success: true, data: { id, loid, status: lead_status } }
        await logCall(acting, by, act.lead, { status: 201, loid, error: null, answer })
      }
      referrals.set(act.lead.businessName, {
        loid,
        on: 'lead',
        amount: act.lead.loanAmount,
        loanType: act.lead.loanType,
      })
      return
    }
    case 'be refused': {
      const { error: refused } = LeadSubmission.safeParse(act.lead)
      if (!refused) throw new Error('the demo’s lead with a mistake has none')
      const { status, code, message: error, fields } = invalidFromIssues(refused.issues)
      const by = await cast.callerOf(acting, 'website')
      await logCall(acting, by, act.lead, {
        status,
        loid: null,
        error,
        answer: { success: false, error, code, fields },
      })
      return
    }
    case 'note': {
      const { loid, on } = referrals.find(act.on)
      if (await hasNote(acting, referrals, act)) return
      const by = await cast.callerOf(acting, act.by)
      const note = { loid, on, title: NOTE_TITLES[on], content: act.content }
      await acting.db.transaction().execute((tx) => addNoteToRecord(tx, acting, by, note))
      return
    }
    case 'status':
      return lender.actAsStaff(acting, act.on, 'status', { status: act.to })
    case 'fields':
      return lender.actAsStaff(acting, act.on, 'fields', act.fields)
    case 'partner fields':
      return lender.fillPartner(acting, act.fields)
    case 'stage':
      return lender.actAsStaff(acting, act.on, 'stage', { stage: act.to })
    case 'convert': {
      const referral = referrals.find(act.on)
      if (referral.on === 'deal') return
      const name = `${act.on} – ${referral.loanType}`
      await lender.actAsStaff(acting, act.on, 'convert', { name, stage: act.to, amount: String(referral.amount) })
      referrals.set(act.on, { ...referral, on: 'deal' })
      return
    }
    case 'ask':
    case 'ask again':
    case 'accept':
    case 'answer': {
      const { loid } = referrals.find(act.on)
      const by = await cast.callerOf(acting, act.does === 'answer' ? act.by : 'mia')
      return playRequest(acting, act, {
        loid,
        by,
        send: async (what, form) => void (await lender.sendForm(act.on, what, form)),
      })
    }
    case 'attach':
      return lender.attach(acting, act)
    case 'keep view': {
      const mia = await cast.signIn(acting, 'mia')
      const { id } = await keepView(acting, mia, { list: 'leads', name: act.name, query: viewQuery(act.query) })
      await changeView(acting, mia, id, { is_shared: true })
      return
    }
    case 'lender note':
      if (await hasNote(acting, referrals, act)) return
      return lender.actAsStaff(acting, act.on, 'notes', { title: act.title, content: act.content })
  }
}

/** Writes the row that a call of the website leaves in the webhook log. */
function logCall(
  { db, clock }: Deps,
  by: Caller,
  lead: object,
  { status, loid, error, answer }: { status: number; loid: string | null; error: string | null; answer: object },
): Promise<void> {
  const call = {
    partner_id: by.id,
    endpoint: PARTNER_LEADS,
    api_key: by.submitter.name,
    status: error === null ? ('success' as const) : ('failed' as const),
    response_status: status,
    loid,
    error_message: error,
    request_body: JSON.stringify(lead),
    response_body: JSON.stringify(answer),
  }
  return insertInboundCall(db, call, clock.now())
}

async function hasNote(
  acting: Deps,
  referrals: Referrals,
  { on, content }: { on: string; content: string },
): Promise<boolean> {
  const { partner_id } = await getByEmail(acting, MIA.email)
  const notes = await findNotes(acting.reads, partner_id, referrals.find(on).loid)
  return notes.some((note) => note.content === content)
}
