import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { cutText } from '../../platform/cut-text.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import type { PartnerFacts } from '../../records/crm-records.ts'
import { findFieldGroups } from '../../records/kinds/field-groups.queries.ts'
import {
  findUntoldInvitationProblems,
  keepToldInvitationProblems,
} from '../../records/partners/partner-invitations.queries.ts'
import {
  findDueForFactsOfAllPartners,
  findPartnerFacts,
  findTroubleOfAllPartners,
  keepToldFacts,
  keepToldProblem,
  type Trouble,
} from '../../records/partners/told-facts.queries.ts'
import { isOfCrm } from '../zoho/errors.ts'
import { PORTAL_PROBLEM_LENGTH } from '../zoho/fields.ts'

const DAY_MS = 24 * 3_600_000
/** As many partners as one call writes. */
const PARTNERS_A_RUN = 100

/**
 * Writes into the partners' own CRM records what the lender's team cannot see there otherwise (D116): what keeps a
 * partner from working, within a minute; and once a day how the partner uses the portal. Writes only what has changed.
 */
export const tellFacts = defineJob({
  name: 'tell-facts',
  payload: z.object({}),
  schedule: '* * * * *',
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, _, signal) {
    if (!(await findFieldGroups(deps.db)).has('facts')) return
    try {
      await tellInvitationProblems(deps, signal)
      await tellProblems(deps, signal)
      await tellDailyFacts(deps, signal)
    } catch (error) {
      if (!isOfCrm(error)) throw error
      deps.log.warn({ err: error }, 'the lender’s team was not told of its partners; the next run tries again')
    }
  },
})

type TellDeps = Pick<Deps, 'db' | 'crm' | 'clock' | 'config'>

/** The records of partners that could not be invited belong to no partner of the portal yet. */
async function tellInvitationProblems({ db, crm }: TellDeps, signal: AbortSignal): Promise<void> {
  const untold = await findUntoldInvitationProblems(db, PARTNERS_A_RUN)
  if (untold.length === 0) return
  await crm.writePartnerFacts(
    untold.map(({ zoho_id, problem }) => ({ zoho_id, facts: { portal_problem: problem } })),
    signal,
  )
  await keepToldInvitationProblems(db, untold)
}

async function tellProblems({ db, crm }: TellDeps, signal: AbortSignal): Promise<void> {
  for (const trouble of await findTroubleOfAllPartners(db)) {
    const problem = problemOf(trouble)
    const records = problem === null ? [] : recordsOf(trouble)
    const isTold = problem === trouble.told && records.join() === trouble.told_records.join()
    if (isTold) continue
    const cured = trouble.told_records.filter((zohoId) => !records.includes(zohoId))
    await crm.writePartnerFacts(
      [
        ...records.map((zoho_id) => ({ zoho_id, facts: { portal_problem: problem } })),
        ...cured.map((zoho_id) => ({ zoho_id, facts: { portal_problem: null } })),
      ],
      signal,
    )
    await keepToldProblem(db, trouble.id, { problem, records })
  }
}

async function tellDailyFacts({ db, crm, clock, config }: TellDeps, signal: AbortSignal): Promise<void> {
  const now = clock.now()
  const yesterday = new Date(now.getTime() - DAY_MS).toISOString()
  const due = await findDueForFactsOfAllPartners(db, yesterday, PARTNERS_A_RUN)
  const compared: { partner: (typeof due)[number]; facts: PartnerFacts }[] = []
  for (const partner of due) {
    compared.push({ partner, facts: await findPartnerFacts(db, partner.id, { now, timezone: config.timezone }) })
  }
  const writes = compared.flatMap(({ partner, facts }) => {
    const changed = Object.entries(facts).filter(
      ([name, value]) => new Map(Object.entries(partner.told)).get(name) !== value,
    )
    return changed.length === 0 ? [] : [{ zoho_id: partner.zoho_id, facts: Object.fromEntries(changed) }]
  })
  if (writes.length > 0) await crm.writePartnerFacts(writes, signal)
  for (const { partner, facts } of compared) await keepToldFacts(db, partner, facts, now.toISOString())
}

/** What the record says of the trouble; null if there is none. */
function problemOf({ crm, held_for, crm_problem, link_candidates, failed }: Trouble): string | null {
  const parts: string[] = []
  if (crm === 'held' && held_for === 'several') {
    parts.push(
      `Several records have this email address (${link_candidates.join(', ')}), so the portal uses none. Merge them, or have one of them linked.`,
    )
  }
  if (crm === 'held' && held_for === 'people') {
    parts.push(
      'The portal links this record once the person with this email address agrees that the whole team sees it.',
    )
  }
  if (crm === 'failed') parts.push(crm_problem ?? 'The CRM does not accept the partner’s data.')
  if (failed > 0) {
    parts.push(
      `${failed} of the partner’s leads, deals and notes did not reach the CRM. The partner can send them again.`,
    )
  }
  return parts.length === 0 ? null : cutText(parts.join(' '), PORTAL_PROBLEM_LENGTH)
}

/** The records that show the trouble: the partner's own, or those that it may be linked to. */
function recordsOf({ crm, zoho_id, link_candidates }: Trouble): string[] {
  if (crm === 'held') return link_candidates
  return zoho_id === null ? [] : [zoho_id]
}
