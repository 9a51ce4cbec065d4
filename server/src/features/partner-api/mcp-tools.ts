import type { askAsAssistant } from '@portal/contract/assistants.ts'
import type { Attention } from '@portal/contract/attention.ts'
import { DealFilters } from '@portal/contract/deals.ts'
import type { KeyRight } from '@portal/contract/key-rights.ts'
import { CONSENT_TEXT } from '@portal/contract/lead-form.ts'
import { LeadFilters } from '@portal/contract/leads.ts'
import { SIDE_TEXTS } from '@portal/contract/meanings.ts'
import { LeadSubmission } from '@portal/contract/submissions.ts'
import { cleanedText } from '@portal/contract/text.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import { claimOnce } from '../../platform/http/idempotency.ts'
import type { Call } from '../../platform/http/mount.ts'
import { parseInput } from '../../platform/http/parse-input.ts'
import { findDeals } from '../../records/deals/deal-list.queries.ts'
import { findLeads } from '../../records/leads/lead-list.queries.ts'
import { admitNow } from '../accounts/admit-record.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { submitLead } from '../leads/submit-lead.ts'
import { bodyFields, eitherOr } from './body-fields.ts'
import { confirmationOf, requireConfirmation } from './confirm-lead.ts'
import { readChanges } from './read-changes.ts'
import { readReferralDeal, readReferralLead } from './read-referral.ts'

export type ToolCall = Call<
  typeof askAsAssistant.path,
  undefined,
  typeof askAsAssistant.body,
  typeof askAsAssistant.answer,
  'api-key'
>

/** What a tool answers with. */
export interface Content {
  content: { type: 'text'; text: string }[]
  isError?: true
  [more: string]: unknown
}

export interface Tool {
  name: string
  description: string
  /** The right that the key needs for it. */
  needs: KeyRight
  inputSchema: object
  /** Throws a PortalError with a reason for the assistant. */
  run(call: ToolCall, given: Record<string, unknown>): Promise<Content>
}

export function contentOf(value: object): Content {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}

const LIMIT = 25
const described = (description: string) => cleanedText('This must be text').register(z.globalRegistry, { description })

const Find = z.strictObject({
  search: z.optional(described('A name, email, phone number or LOID.')),
  status: z.optional(described('A lead status or a deal stage.')),
  changed_from: z.optional(described('YYYY-MM-DD: changed on this day or later.')),
})
const Open = z.strictObject({
  loid: described('The public name of a lead or deal, such as LO-7K3M9Q2X.'),
})
const Since = z.strictObject({
  cursor: z.optional(described('The cursor of the answer before. Without it, all records come first.')),
})
const Status = z.strictObject({
  status: described('A lead status or a deal stage.'),
})

/** The rules of the partner API as tools. `findAttention` belongs to another feature. */
export function assistantTools(deps: Deps, findAttention: (partnerId: string) => Promise<Attention>): Tool[] {
  const { clock, config, statusMeanings } = deps
  return [
    reading(
      'find_referrals',
      'Finds leads and deals, the newest first, at most 25 of each.',
      Find,
      async (call, asked) => {
        const { search, status, changed_from: changedFrom } = asked
        const shared = { search, searchIn: 'all', changedFrom, limit: LIMIT }
        const leadFilters = filtersOf(LeadFilters, { ...shared, status })
        const dealFilters = filtersOf(DealFilters, { ...shared, stage: status })
        const leads = await findLeads(deps, call.partner, leadFilters, config.timezone, statusMeanings)
        const deals = await findDeals(deps, call.partner.id, dealFilters, config.timezone, statusMeanings)
        return {
          leads: leads.rows.map(({ loid, business_name, lead_name, loan_amount, lead_status, modified_time }) => {
            return { loid, business_name, lead_name, loan_amount, lead_status, modified_time }
          }),
          deals: deals.rows.map(({ loid, deal_name, contact_name, amount, stage, modified_time }) => {
            return { loid, deal_name, contact_name, amount, stage, modified_time }
          }),
          has_more: leads.pagination.has_more || deals.pagination.has_more,
        }
      },
    ),
    reading(
      'open_referral',
      'Opens one lead or deal with its history and notes.',
      Open,
      async ({ partner }, { loid }) => {
        const lead = await orNothing(readReferralLead(deps, partner, loid))
        const dealLoid = lead ? lead.lead.deal_loid : loid
        const deal = dealLoid === null ? undefined : await orNothing(readReferralDeal(deps, partner, dealLoid))
        if (!lead && !deal) throw new NotFound('There is no such lead or deal')
        return { ...(lead && { lead }), ...(deal && { deal }) }
      },
    ),
    reading(
      'changes_since',
      'Says what changed with leads and deals since the cursor, in the order of the changes, and gives the next cursor.',
      Since,
      async ({ partner }, { cursor: since }) => {
        const { events, ...next } = await readChanges(deps, partner.id, 'events', { since, limit: LIMIT })
        const changes = events.map(({ type, loid, deal_loid, lead, deal }) => ({
          type,
          loid,
          deal_loid,
          name: lead?.business_name ?? deal?.deal_name ?? null,
          status: lead?.lead_status ?? deal?.stage ?? null,
        }))
        return { changes, ...next }
      },
    ),
    reading(
      'explain_status',
      'Says what a lead status or deal stage means, and whose turn it is.',
      Status,
      async (_call, { status }) => {
        const explained = (kind: 'lead-status' | 'deal-stage') => {
          const { meaning, side } = statusMeanings(kind, status)
          return { meaning, turn: side && SIDE_TEXTS[side] }
        }
        return { as_lead_status: explained('lead-status'), as_deal_stage: explained('deal-stage') }
      },
    ),
    reading(
      'needs_attention',
      'Lists what waits for the business, the most urgent first.',
      z.strictObject({}),
      async ({ partner }) => {
        const { items, total } = await findAttention(partner.id)
        return {
          total,
          items: items.map(({ kind, loid, name, at, note, request, standing, protected_until }) => {
            return { kind, loid, name, at, note: note?.content, request: request?.subject, standing, protected_until }
          }),
        }
      },
    ),
    {
      name: 'submit_lead',
      description: `Submits a lead, in two steps. First call it without a confirmation: nothing is submitted, and you get the lead as it would be. Show it to the person. Only after the person agreed, call it with the same lead and the confirmation. ${CONSENT_TEXT}`,
      needs: 'submit',
      inputSchema: SUBMISSION_SCHEMA,
      run: (call, given) => submit(call, parseInput(Submission, given)),
    },
  ]

  async function submit(call: ToolCall, { lead, confirmation }: z.output<typeof Submission>): Promise<Content> {
    const { partner, body } = call
    if (confirmation === undefined) {
      const shown = Object.fromEntries(Object.entries(lead).filter(([, value]) => value !== null))
      return contentOf({
        submitted: false,
        lead: shown,
        confirm: CONSENT_TEXT,
        confirmation: confirmationOf(lead, partner.keyHash, clock.now()),
      })
    }
    requireConfirmation(lead, confirmation, partner.keyHash, clock.now())
    await limitPartner(deps, call, 'records')
    const { result } = await call.once(async (tx) => {
      await admitNow(tx, deps, partner.id)
      if (!(await claimOnce(tx, partner.id, confirmation, clock.now()))) {
        throw new Conflict('CONFLICT', 'This lead was submitted with this confirmation already')
      }
      const { loid, lead_status } = await submitLead(tx, deps, partner, lead)
      return { jsonrpc: '2.0' as const, id: body.id ?? 0, result: contentOf({ submitted: true, loid, lead_status }) }
    })
    return z.parse(KeptContent, result)
  }
}

const Submission = z.strictObject({ lead: LeadSubmission, confirmation: z.optional(z.string()) })
const KeptContent = z.object({ content: z.array(z.object({ type: z.literal('text'), text: z.string() })) })

const SUBMISSION_SCHEMA = {
  type: 'object',
  properties: {
    lead: {
      type: 'object',
      properties: Object.fromEntries(
        bodyFields(LeadSubmission).map(({ name, schema, description }) => [name, { ...schema, description }]),
      ),
      required: bodyFields(LeadSubmission)
        .filter(({ isRequired }) => isRequired)
        .map(({ name }) => name),
      anyOf: eitherOr(LeadSubmission).map((name) => ({ required: [name] })),
    },
    confirmation: { type: 'string', description: 'From the first call, once the person has agreed.' },
  },
  required: ['lead'],
  additionalProperties: false,
}

function reading<Input extends z.ZodMiniType>(
  name: string,
  description: string,
  input: Input,
  read: (call: ToolCall, input: z.output<Input>) => Promise<object>,
): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  return {
    name,
    description,
    needs: 'read',
    inputSchema,
    run: async (call, given) => contentOf(await read(call, parseInput(input, given))),
  }
}

function filtersOf<Filters extends z.ZodMiniType>(filters: Filters, given: object): z.output<Filters> {
  return parseInput(filters, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))
}

/** Undefined if the record is not found. */
async function orNothing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return found.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined
    throw error
  })
}
