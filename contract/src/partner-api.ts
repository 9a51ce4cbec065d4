import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { CrmState } from './leads.ts'
import { Loid } from './loid.ts'
import { defineRoute } from './route.ts'
import { DealSubmission, LeadSubmission } from './submissions.ts'

const ApiField = z.object({
  name: z.string(),
  required: z.boolean(),
  type: z.string(),
  description: z.string(),
})
export type ApiField = z.infer<typeof ApiField>

const ApiEndpoint = z.object({
  method: z.string(),
  /** Relative to `baseUrl`. */
  path: z.string(),
  description: z.string(),
  requestBody: z.nullable(z.object({ fields: z.array(ApiField), example: z.unknown() })),
  responseExample: z.unknown(),
})
export type ApiEndpoint = z.infer<typeof ApiEndpoint>

/** The API docs object of section 3. Examples hold placeholders, never a real key (D45). */
export const ApiDocs = z.object({
  title: z.string(),
  version: z.string(),
  baseUrl: z.string(),
  description: z.string(),
  authentication: z.object({ type: z.string(), note: z.string(), header: z.string(), tokenLifetime: z.string() }),
  endpoints: z.array(ApiEndpoint),
  examples: z.object({ curl: z.string(), javascript: z.string(), python: z.string() }),
  /** Examples of how a system follows changes (D84). */
  readExamples: z.object({ curl: z.string(), javascript: z.string(), python: z.string() }),
  errorCodes: z.record(z.string(), z.string()),
  rateLimits: z.object({
    description: z.string(),
    limits: z.array(z.object({ name: z.string(), limit: z.string() })),
    headers: z.array(z.object({ name: z.string(), description: z.string() })),
  }),
  webhooks: z.object({
    description: z.string(),
    headers: z.array(z.object({ name: z.string(), description: z.string() })),
    events: z.array(z.object({ type: z.string(), description: z.string(), example: z.unknown() })),
    /** Examples of how a receiver checks the signature. */
    verification: z.object({ javascript: z.string(), python: z.string() }),
  }),
  support: z.object({ email: z.string(), documentation: z.string(), portal: z.string() }),
})
export type ApiDocs = z.infer<typeof ApiDocs>

/** A lead or deal that was submitted through the API (D38). `status` is the lead's status or the deal's stage. */
export const Submitted = z.object({ id: z.string(), loid: Loid, status: z.string() })
export type Submitted = z.infer<typeof Submitted>

export const SubmittedStatus = z.extend(Submitted, {
  crm: CrmState,
  created_at: Instant,
  updated_at: Instant,
})
export type SubmittedStatus = z.infer<typeof SubmittedStatus>

export const readApiDocs = defineRoute({
  method: 'GET',
  path: '/dashboard/api-docs',
  auth: 'session',
  least: 'viewer',
  answer: ApiDocs,
  summary: 'The documentation of the partner API.',
})

export const readPartnerDocs = defineRoute({
  method: 'GET',
  path: '/partner/docs',
  auth: 'api-key',
  right: 'any',
  answer: ApiDocs,
  summary: 'The documentation of the partner API, for a system with an API key.',
})

export const submitPartnerLead = defineRoute({
  method: 'POST',
  path: '/partner/leads',
  auth: 'api-key',
  right: 'submit',
  body: LeadSubmission,
  answer: Submitted,
  status: 201,
  creates: true,
  summary: 'Submits a lead.',
})

export const submitWebhookLead = defineRoute({
  method: 'POST',
  path: '/webhook/lead',
  auth: 'session-or-api-key',
  least: 'member',
  right: 'submit',
  body: LeadSubmission,
  answer: Submitted,
  status: 201,
  creates: true,
  summary: 'Submits a lead, just as POST /partner/leads does.',
})

export const submitWebhookDeal = defineRoute({
  method: 'POST',
  path: '/webhook/deal',
  auth: 'session-or-api-key',
  least: 'member',
  right: 'submit',
  body: DealSubmission,
  answer: Submitted,
  status: 201,
  creates: true,
  summary: 'Submits an application as a deal, without submitting a lead first.',
})

export const readSubmitted = defineRoute({
  method: 'GET',
  path: '/webhook/status/:id',
  auth: 'session-or-api-key',
  least: 'viewer',
  right: 'any',
  answer: SubmittedStatus,
  summary: 'The status of a submitted lead or deal, by the id or LOID that the submission returned.',
})
