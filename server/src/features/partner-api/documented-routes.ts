import { SUBMITTED_STAGE, SUBMITTED_STATUS } from '@portal/contract/choices.ts'
import {
  readPartnerDocs,
  readSubmitted,
  submitPartnerLead,
  submitWebhookDeal,
  submitWebhookLead,
} from '@portal/contract/partner-api.ts'
import type { Route } from '@portal/contract/route.ts'

interface DocumentedRoute {
  route: Route
  /** The name of the call in code that is generated from the OpenAPI document. */
  operationId: string
  tag: 'Submit' | 'Follow' | 'Documentation'
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
    route: readPartnerDocs,
    operationId: 'readDocumentation',
    tag: 'Documentation',
    description: 'This documentation as JSON. It is also available as a public OpenAPI document at `/openapi.json`.',
    requestExample: null,
    answerExample: { title: 'Partner API', version: '1.0', baseUrl: '…', endpoints: '…' },
  },
]
