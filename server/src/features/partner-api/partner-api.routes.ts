import {
  readApiDocs,
  readPartnerDocs,
  readSubmitted,
  submitPartnerLead,
  submitWebhookDeal,
  submitWebhookLead,
} from '@portal/contract/partner-api.ts'
import type { LeadSubmission } from '@portal/contract/submissions.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/authenticate.ts'
import type { Mount } from '../../http/mount.ts'
import { findFirstStage, submitDeal } from '../deals/submit-deal.ts'
import { submitLead } from '../leads/submit-lead.ts'
import { apiDocs } from './api-docs.ts'
import { getSubmitted } from './get-submitted.ts'

export function partnerApiRoutes(mount: Mount, deps: Deps): void {
  mount(submitPartnerLead, ({ once, partner, body }) => once((tx) => lead(tx, partner, body)))
  mount(submitWebhookLead, ({ once, partner, body }) => once((tx) => lead(tx, partner, body)))
  mount(submitWebhookDeal, async ({ once, partner, body }) => {
    const stage = await findFirstStage(deps)
    return once(async (tx) => {
      const { id, loid } = await submitDeal(tx, deps, partner, stage, body)
      return { id, loid, status: stage }
    })
  })
  mount(readSubmitted, ({ partner, params }) => getSubmitted(deps.reads, partner, params.id))

  mount(readApiDocs, async () => apiDocs(deps.publicUrl, deps.config.mailFrom))
  mount(readPartnerDocs, async () => apiDocs(deps.publicUrl, deps.config.mailFrom))

  async function lead(tx: Tx, partner: Caller, body: LeadSubmission) {
    const { id, loid, lead_status } = await submitLead(tx, deps, partner, body)
    return { id, loid, status: lead_status }
  }
}
