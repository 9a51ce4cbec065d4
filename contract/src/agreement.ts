import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { defineRoute } from './route.ts'

/** What an owner accepts for the business before it submits (D113). */
const Agreement = z.object({
  version: z.string(),
  /** YYYY-MM-DD. From this day on, nothing is submitted without it. */
  required_from: z.string(),
  /** In Markdown. */
  text: z.string(),
  /** Of the lender's file, so that it is certain what was accepted. */
  sha256: z.string(),
})

/** An agreement that the business has not accepted yet, as every page says. */
export const OpenAgreement = z.object({
  ...z.pick(Agreement, { version: true, required_from: true }).shape,
  /** Whether the day has come. */
  is_required: z.boolean(),
})
export type OpenAgreement = z.infer<typeof OpenAgreement>

const Acceptance = z.object({
  version: z.string(),
  sha256: z.string(),
  agreed_at: Instant,
  by: z.string(),
  /** Null for people who are no owners. */
  ip: z.nullable(z.string()),
})

export const AgreementState = z.object({
  /** Null if the lender asks for none. */
  agreement: z.nullable(z.object({ ...Agreement.shape, is_required: z.boolean(), is_accepted: z.boolean() })),
  /** Every acceptance of the business, the newest first. */
  accepted: z.array(Acceptance),
})
export type AgreementState = z.infer<typeof AgreementState>

export const AGREEMENT_CHANGED = 'The agreement has changed since you opened it. Please read the new version.'

export const readAgreement = defineRoute({
  method: 'GET',
  path: '/account/agreement',
  auth: 'session',
  least: 'viewer',
  answer: AgreementState,
  summary: 'The lender’s agreement, and who of the business accepted which version.',
})

export const acceptAgreement = defineRoute({
  method: 'POST',
  path: '/account/agreement',
  auth: 'session',
  least: 'owner',
  body: z.object({
    version: z
      .string({ error: 'The version is required' })
      .check(z.minLength(1, 'The version is required'), z.maxLength(100)),
    sha256: z
      .string({ error: 'The SHA-256 is required' })
      .check(z.regex(/^[0-9a-f]{64}$/, 'The SHA-256 has 64 hexadecimal digits')),
  }),
  answer: AgreementState,
  summary: 'Accepts the agreement for the business, in the version that the caller has read.',
})
