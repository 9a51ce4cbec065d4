import { HOLDS } from '@portal/contract/holds.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import type { debugSyncLeads } from '@portal/contract/sync.ts'
import type { output } from 'zod/mini'
import { CrmRefused } from '../../crm/zoho/errors.ts'
import type { Deps } from '../../deps.ts'
import { PortalError } from '../../platform/errors.ts'
import { countLeads } from '../../records/leads/leads.queries.ts'
import { holdOf } from '../../records/partners/hold-of.ts'
import { getPartner } from '../../records/partners/partners.queries.ts'

type DebugAnswer = output<typeof debugSyncLeads.answer>

/** Shorter than API_TIMEOUT_MS, after which the caller gives up. */
const ANSWER_MS_MAX = 20_000

/** Tries each step of a lead sync in order and changes nothing (D33). After a failed step, no further step is tried. */
export async function debugLeadSync({ db, crm, clock }: Deps, partnerId: string): Promise<DebugAnswer> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  const debug: DebugAnswer['debug'] = {
    steps: [],
    counts: { portal_leads: 0, zoho_leads: null },
    missing_fields: [],
    api_domain: null,
    mode: crm.mode,
  }
  let error: string | undefined

  async function step(name: string, work: () => Promise<string>): Promise<void> {
    const startedAt = clock.now().getTime()
    const done = (ok: boolean, detail: string) => {
      debug.steps.push({ name, ok, ms: clock.now().getTime() - startedAt, detail })
    }
    if (error !== undefined) return done(false, 'Not tried, because an earlier step failed')
    try {
      done(true, await work())
    } catch (failure) {
      error = textOf(failure)
      done(false, error)
    }
  }

  let zohoId: string | null = null
  let firstLead: string | undefined
  await step('Count the portal’s leads', async () => {
    debug.counts.portal_leads = await countLeads(db, partnerId)
    return leadCount(debug.counts.portal_leads)
  })
  await step('Sign in to the CRM', async () => {
    debug.api_domain = await crm.apiDomain()
    return debug.api_domain
  })
  await step('Check the CRM’s fields', async () => {
    debug.missing_fields = await crm.missingFields(signal)
    const { length } = debug.missing_fields
    return length === 0 ? 'All fields are there' : `${length} missing: ${debug.missing_fields.join(', ')}`
  })
  await step('Find the partner in the CRM', async () => {
    const partner = await getPartner(db, partnerId)
    zohoId = partner.zoho_id
    const hold = holdOf(partner)
    if (hold) return HOLDS[hold].text
    return zohoId ?? 'Not in the CRM yet; the first sync creates it'
  })
  await step('List the CRM’s leads', async () => {
    if (zohoId === null) debug.counts.zoho_leads = 0
    else {
      for await (const { versions } of crm.versionPages('Leads', zohoId, signal)) {
        firstLead = versions[0]?.zoho_id
        break
      }
      debug.counts.zoho_leads = await crm.countLeads(zohoId, signal)
    }
    return leadCount(debug.counts.zoho_leads)
  })
  await step('Read a lead from the CRM', async () => {
    if (firstLead === undefined) return 'There is no lead to read'
    const { records, problems } = await crm.getLeads([firstLead], signal)
    return problems[0] ? `It cannot be read: ${problems[0].reason}` : `${records.length} read`
  })
  return { success: error === undefined, ...(error !== undefined && { error }), debug }
}

function textOf(failure: unknown): string {
  if (failure instanceof PortalError || failure instanceof CrmRefused) return failure.message
  throw failure
}

function leadCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'lead' : 'leads'}`
}
