import { SUBMITTED_STAGE, SUBMITTED_STATUS } from '@portal/contract/choices.ts'
import { LEAD_RECORD, LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import {
  readPartnerDocs,
  readSubmitted,
  submitPartnerLead,
  submitWebhookDeal,
  submitWebhookLead,
} from '@portal/contract/partner-api.ts'
import {
  CURSOR_DAYS,
  readApiDeal,
  readApiDeals,
  readApiEvents,
  readApiLead,
  readApiLeads,
} from '@portal/contract/partner-reads.ts'
import { eachOf, sharedColumns } from '@portal/contract/record-fields.ts'
import type { Route } from '@portal/contract/route.ts'

interface DocumentedRoute {
  route: Route
  /** The name of the call in code that is generated from the OpenAPI document. */
  operationId: string
  tag: 'Submit' | 'Follow' | 'Read' | 'Documentation'
  description: string
  requestExample: Record<string, unknown> | null
  /** An example of the answer's `data`. */
  answerExample: unknown
}

export const EXAMPLE_LEAD = {
  business_name: 'Okafor Freight',
  first_name: 'Nkem',
  last_name: 'Okafor',
  email: 'nkem@okafor-freight.example',
  phone: '+61 491 570 156',
  state: 'NSW',
  loan_amount: 150_000,
  loan_type: 'Equipment Financing',
  loan_term: '36 months',
  loan_purpose: 'A second truck',
}

const EXAMPLE_DEAL = {
  deal_name: 'Okafor Freight, second truck',
  business_name: 'Okafor Freight',
  contact_name: 'Nkem Okafor',
  email: 'nkem@okafor-freight.example',
  phone: '+61 491 570 156',
  amount: 150_000,
  loan_type: 'Equipment Financing',
  loan_term: '36 months',
  closing_date: '2027-01-31',
}

const SUBMITTED = { id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', loid: 'LO-7K3M9Q2X' }
const SPELLINGS =
  'Fields may be written in snake_case or camelCase. `business_name` and at least one of `email` and `phone` are required. An unknown field is refused, and the error names it.'

const VERSION = '41823.7'

const READ_LEAD = {
  ...SUBMITTED,
  ...eachOf([...sharedColumns(LEAD_RECORD), ...sharedColumns(LEAD_VERDICT)], null),
  first_name: 'Nkem',
  last_name: 'Okafor',
  email: 'nkem@okafor-freight.example',
  phone: '+61491570156',
  partner_iso: 'AU',
  state: 'NSW',
  business_name: 'Okafor Freight',
  loan_amount: 150_000,
  loan_type: 'Equipment Financing',
  loan_purpose: 'A second truck',
  loan_term: '36 months',
  owns_property: false,
  lead_status: 'Pre Qualified',
  lead_source: 'Partner Portal',
  submitted_by: 'Website form (API key)',
  awaits_deal_since: null,
  crm: 'synced',
  created_at: '2026-11-03T01:02:03.456Z',
  modified_time: '2026-11-05T04:05:06.789Z',
  version: VERSION,
}

const READ_DEAL = {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072',
  loid: 'LO-4H8N2RWT',
  deal_name: 'Okafor Freight, second truck',
  business_name: 'Okafor Freight',
  contact_name: 'Nkem Okafor',
  email: 'nkem@okafor-freight.example',
  phone: '+61491570156',
  amount: 150_000,
  loan_type: 'Equipment Financing',
  loan_purpose: 'A second truck',
  loan_term: '36 months',
  stage: 'Approved',
  lead_source: 'Partner Portal',
  closing_date: '2027-01-31',
  probability: 80,
  description: null,
  partner_iso: 'AU',
  submitted_by: null,
  crm: 'synced',
  created_at: '2026-11-06T01:02:03.456Z',
  modified_time: '2026-11-09T04:05:06.789Z',
  version: '41824.8',
}

const GONE_LEAD = { loid: 'LO-9P5X3KCV', reason: 'converted', deal_loid: 'LO-9P5X3KCV', version: '41824.9' }
const CURSOR = { cursor: 'eyJsaXN0IjoibGVhZHMifQ', has_more: false }
const NOTE = {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073',
  title: null,
  content: 'The applicant prefers calls after 5 pm.',
  created_by: 'System',
  submitted_by: 'Alex Harbour',
  created_at: '2026-11-05T04:05:06.789Z',
}
const BY_LENDER = {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074',
  changed_time: '2026-11-05T04:05:06.789Z',
  changed_by: null,
}

/** How a reader follows changes, in the words of all three calls. */
const FOLLOWING = `Call it without \`since\` to begin. Then call it again with the \`cursor\` of each answer as \`since\`: at once while \`has_more\` is true, later whenever you want to know what changed. You get each record once in each version, as it is now, in the order in which the changes were stored, so none is missed and none comes twice, whatever is written meanwhile. A change appears when no older write is still going on, usually within a second. A cursor is valid for ${CURSOR_DAYS} days, and each answer has a new one. When a cursor has ended, the answer is 410, and you begin again. The answer to an unchanged question is 304 if you send its \`ETag\` as \`If-None-Match\`.`
const TOMBSTONES =
  'A record that is no longer listed is `removed` by the lender, `withdrawn` by your business, `converted` into the deal `deal_loid`, or `erased` at the applicant’s request: then erase your copy too.'

/**
 * The routes that partners' systems may rely on. The web app's routes are not documented, because they change with the
 * app and refuse API keys.
 */
export const DOCUMENTED_ROUTES: readonly DocumentedRoute[] = [
  {
    route: submitPartnerLead,
    operationId: 'submitLead',
    tag: 'Submit',
    description: `Submits a lead. The answer comes after the lead is stored. The lead reaches the lender’s CRM in the background. ${SPELLINGS}`,
    requestExample: EXAMPLE_LEAD,
    answerExample: { ...SUBMITTED, status: SUBMITTED_STATUS },
  },
  {
    route: submitWebhookLead,
    operationId: 'submitWebhookLead',
    tag: 'Submit',
    description: `Submits a lead as \`POST /partner/leads\` does, for systems that are set up to call a webhook. ${SPELLINGS}`,
    requestExample: EXAMPLE_LEAD,
    answerExample: { ...SUBMITTED, status: SUBMITTED_STATUS },
  },
  {
    route: submitWebhookDeal,
    operationId: 'submitWebhookDeal',
    tag: 'Submit',
    description: `Submits an application directly as a deal, without a lead. The deal begins in the stage \`${SUBMITTED_STAGE}\`, or in the lender’s first stage if the lender has no such stage. Only the lender moves the deal to another stage. ${SPELLINGS}`,
    requestExample: EXAMPLE_DEAL,
    answerExample: { ...SUBMITTED, status: SUBMITTED_STAGE },
  },
  {
    route: readSubmitted,
    operationId: 'readSubmitted',
    tag: 'Follow',
    description:
      'Returns the progress of a lead or deal, found by the id or the LOID that its submission returned. `status` is the lead’s status, or the deal’s stage once the lead is a deal; `crm` is `synced` once the lender’s CRM has the record, `pending` before that, and `failed` if the portal has given up sending it.',
    requestExample: null,
    answerExample: {
      ...SUBMITTED,
      status: 'Pre Qualified',
      crm: 'synced',
      created_at: '2026-11-03T01:02:03.456Z',
      updated_at: '2026-11-05T04:05:06.789Z',
    },
  },
  {
    route: readApiLeads,
    operationId: 'readLeads',
    tag: 'Read',
    description: `Returns all leads that have not become deals, newest first, then what changed with them. ${FOLLOWING} ${TOMBSTONES}`,
    requestExample: null,
    answerExample: { leads: [READ_LEAD], gone: [GONE_LEAD], ...CURSOR },
  },
  {
    route: readApiLead,
    operationId: 'readLead',
    tag: 'Read',
    description: 'Returns one lead by its LOID, with its statuses and notes. `side` says whose turn it is.',
    requestExample: null,
    answerExample: {
      lead: { ...READ_LEAD, side: 'lender', deal_loid: null },
      history: [{ ...BY_LENDER, status: 'Pre Qualified' }],
      notes: [NOTE],
    },
  },
  {
    route: readApiDeals,
    operationId: 'readDeals',
    tag: 'Read',
    description: `Returns all deals, newest first, then what changed with them. ${FOLLOWING} ${TOMBSTONES}`,
    requestExample: null,
    answerExample: { deals: [READ_DEAL], gone: [], ...CURSOR },
  },
  {
    route: readApiDeal,
    operationId: 'readDeal',
    tag: 'Read',
    description: 'Returns one deal by its LOID, with its stages and notes. `side` says whose turn it is.',
    requestExample: null,
    answerExample: {
      deal: { ...READ_DEAL, side: 'lender' },
      history: [{ ...BY_LENDER, stage: 'Approved' }],
      notes: [NOTE],
    },
  },
  {
    route: readApiEvents,
    operationId: 'readEvents',
    tag: 'Read',
    description: `Returns all leads and deals, then what changed with either: the two lists in one. ${FOLLOWING} ${TOMBSTONES}`,
    requestExample: null,
    answerExample: {
      events: [
        { type: 'lead.changed', loid: READ_LEAD.loid, deal_loid: null, version: VERSION, lead: READ_LEAD, deal: null },
        {
          type: 'lead.converted',
          loid: GONE_LEAD.loid,
          deal_loid: GONE_LEAD.deal_loid,
          version: GONE_LEAD.version,
          lead: null,
          deal: null,
        },
      ],
      ...CURSOR,
    },
  },
  {
    route: readPartnerDocs,
    operationId: 'readDocumentation',
    tag: 'Documentation',
    description: 'This documentation as JSON. It is also available as a public OpenAPI document at `/openapi.json`.',
    requestExample: null,
    answerExample: { title: 'Partner API', version: '1.0', baseUrl: '…', endpoints: '…' },
  },
]
