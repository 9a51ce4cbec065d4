import * as z from 'zod/mini'
import { Nothing, pagingQuery } from './answer.ts'
import { Instant } from './dates.ts'
import { DuplicateLead } from './leads.ts'
import {
  FILE_NAME_LENGTH_MAX,
  IMPORT_BYTES_MAX,
  IMPORT_COLUMNS_MAX,
  IMPORT_ROWS_MAX,
  NAME_LENGTH_MAX,
} from './limits.ts'
import { Loid } from './loid.ts'
import { defineRoute } from './route.ts'
import { cleanedText, filterText, lengthAtMost, requiredText, storable } from './text.ts'

const CELL_LENGTH_MAX = 10_000

/** What a column of a file can hold, under the words of the form. `leadName` is the first and the last name in one cell. */
export const IMPORT_FIELD_LABELS = {
  businessName: 'Business Name',
  firstName: 'First Name',
  lastName: 'Last Name',
  leadName: 'First and Last Name',
  email: 'Email',
  phone: 'Phone',
  iso: 'Country (AU or NZ)',
  state: 'State/Region',
  businessAbn: 'ABN',
  businessIndustry: 'Industry',
  timeInBusiness: 'Time in Business',
  monthlyTurnover: 'Monthly Turnover',
  loanAmount: 'Loan Amount',
  loanType: 'Loan Type',
  loanPurpose: 'Loan Purpose',
  loanTerm: 'Desired Term',
  ownsProperty: 'Owns Property (Yes or No)',
  propertyValue: 'Property Value',
  propertyDebt: 'Outstanding Debt',
  additionalInfo: 'Additional Information',
} as const
export type ImportFieldName = keyof typeof IMPORT_FIELD_LABELS
// oxlint-disable-next-line typescript/consistent-type-assertions -- the keys of this very object
export const IMPORT_FIELD_NAMES = Object.keys(IMPORT_FIELD_LABELS) as ImportFieldName[]
const ImportFieldName = z.enum(IMPORT_FIELD_NAMES)

/** The fields without which no row can be submitted; a business name is made of the applicant's where it is missing. */
export const IMPORT_FIELDS_NEEDED = ['firstName', 'lastName', 'email', 'phone'] as const

/**
 * `checked`: not submitted yet. `submitting`: its rows are being submitted. `done`: every row was submitted or left out.
 */
export const ImportState = z.enum(['checked', 'submitting', 'done'])
export type ImportState = z.infer<typeof ImportState>

/**
 * How a row stood when it was checked. `wrong`: it breaks a rule, or asks something. `known`: an import wrote this very
 * row before. `duplicate`: the partner has such a lead, or the file has such a row above.
 */
export const ROW_STANDINGS = ['ready', 'wrong', 'duplicate', 'known'] as const
export const RowStanding = z.enum(ROW_STANDINGS)
export type RowStanding = z.infer<typeof RowStanding>

export const ImportColumn = z.object({
  heading: z.string(),
  field: z.nullable(ImportFieldName),
  /** The column's first text that is not blank. */
  sample: z.nullable(z.string()),
})
export type ImportColumn = z.infer<typeof ImportColumn>

export const Import = z.object({
  id: z.string(),
  /** The file's name; null once the rows have been removed. */
  name: z.nullable(z.string()),
  state: ImportState,
  /** The person who brought the file; null if the person has been removed. */
  by: z.nullable(z.string()),
  is_own: z.boolean(),
  columns: z.array(ImportColumn),
  /** How many rows the file has. */
  rows: z.number(),
  /** How many rows stand so, by the last check. All are 0 once the rows have been removed. */
  standings: z.object({ ready: z.number(), wrong: z.number(), duplicate: z.number(), known: z.number() }),
  /** How many rows have a mending that the portal offers. */
  offers: z.number(),
  /** How many rows the import was to submit; null before it is submitted. */
  chosen: z.nullable(z.number()),
  /** How many of these rows have been submitted, and how many had to be left out. */
  submitted: z.number(),
  left_out: z.number(),
  /** In how many rows something changed after the check. */
  changed: z.number(),
  /**
   * How many of the rows that were left out can be submitted again: nothing is wrong with them, but their person or
   * business might not submit them then.
   */
  refused: z.number(),
  created_at: Instant,
  submitted_at: z.nullable(Instant),
  done_at: z.nullable(Instant),
  /** Until when the import can be undone; null if nothing can be undone. */
  undo_until: z.nullable(Instant),
  /** How far undoing the import has come; null if nobody has asked for it. */
  undo: z.nullable(
    z.object({
      asked_at: Instant,
      /** When every row was decided; null before. */
      done_at: z.nullable(Instant),
      withdrawn: z.number(),
      kept: z.number(),
    }),
  ),
  /** When the rows are removed; null if they have been removed. */
  rows_kept_until: z.nullable(Instant),
})
export type Import = z.infer<typeof Import>

export const RowProblem = z.object({
  field: z.nullable(ImportFieldName),
  message: z.string(),
  /** A text that the field probably means, where a spreadsheet has changed it. A person decides. */
  offer: z.nullable(z.string()),
})
export type RowProblem = z.infer<typeof RowProblem>

const Text = z.nullable(z.string())

export const ImportRow = z.object({
  /** The row's number in a spreadsheet, where the heading is row 1. */
  number: z.number(),
  /** The text of each field, as it was in the file or as it was mended. */
  values: z.partialRecord(ImportFieldName, z.string()),
  mended: z.array(ImportFieldName),
  /** The lead that the row becomes; null for a row that is wrong. */
  lead: z.nullable(
    z.object({
      business_name: Text,
      lead_name: Text,
      email: Text,
      phone: Text,
      loan_amount: z.nullable(z.number()),
    }),
  ),
  problems: z.array(RowProblem),
  standing: RowStanding,
  duplicates: z.array(DuplicateLead),
  /** The row above that has the same email, phone or ABN. */
  earlier: z.nullable(z.number()),
  /** The lead that an earlier import made of this row. */
  known_as: z.nullable(Loid),
  /** What the import did with the row; null for a row that was not to be submitted, or waits. */
  outcome: z.nullable(z.enum(['submitted', 'left-out'])),
  /** What changed after the check, in words. */
  since: Text,
  loid: z.nullable(Loid),
  /** What undoing the import did with the row's lead; null before. */
  undo: z.nullable(z.enum(['withdrawn', 'kept'])),
  /** Why undoing the import left the lead, in words. */
  kept_because: Text,
})
export type ImportRow = z.infer<typeof ImportRow>

export const startImport = defineRoute({
  method: 'POST',
  path: '/dashboard/leads/imports',
  auth: 'session',
  least: 'member',
  query: z.object({ name: filterText('name', FILE_NAME_LENGTH_MAX) }),
  bytesMax: IMPORT_BYTES_MAX,
  answer: Import,
  status: 201,
  summary:
    'Checks a CSV file of leads, and submits nothing. The file takes the place of the caller’s file that was not submitted.',
})

export const listImports = defineRoute({
  method: 'GET',
  path: '/dashboard/leads/imports',
  auth: 'session',
  least: 'member',
  answer: z.object({ imports: z.array(Import) }),
  summary: 'The partner’s newest ten imports, newest first; of other people only those that were submitted.',
})

export const readImport = defineRoute({
  method: 'GET',
  path: '/dashboard/leads/imports/:id',
  auth: 'session',
  least: 'member',
  answer: Import,
  summary: 'One import: how its rows stand, and how far its submission has come.',
})

export const ROWS_SHOWN = ['all', ...ROW_STANDINGS, 'submitted', 'left-out', 'changed', 'withdrawn', 'kept'] as const
export type RowsShown = (typeof ROWS_SHOWN)[number]

export const listImportRows = defineRoute({
  method: 'GET',
  path: '/dashboard/leads/imports/:id/rows',
  auth: 'session',
  least: 'member',
  query: z.object({
    ...pagingQuery(),
    show: z._default(z.enum(ROWS_SHOWN, `show must be one of: ${ROWS_SHOWN.join(', ')}`), 'all'),
  }),
  answer: z.object({ rows: z.array(ImportRow) }),
  envelope: 'paged',
  summary: 'The rows of an import in the order of the file.',
})

export const changeImportColumns = defineRoute({
  method: 'PUT',
  path: '/dashboard/leads/imports/:id/columns',
  auth: 'session',
  least: 'member',
  body: z.object({
    fields: z
      .array(z.nullable(ImportFieldName), 'fields must name a field, or null, for each column')
      .check(
        z.maxLength(IMPORT_COLUMNS_MAX, `fields must have ${IMPORT_COLUMNS_MAX} entries or fewer`),
        z.refine(isEachOnce, 'Two columns cannot be the same field'),
      ),
  }),
  answer: Import,
  summary: 'Says what each column of an import holds, and checks all rows again.',
})

export const mendImportRow = defineRoute({
  method: 'PUT',
  path: '/dashboard/leads/imports/:id/rows',
  auth: 'session',
  least: 'member',
  body: z.object({
    number: z
      .int('number must be the number of a row')
      .check(
        z.minimum(2, 'number must be the number of a row'),
        z.maximum(10_000_000, 'number must be the number of a row'),
      ),
    values: z.partialRecord(
      ImportFieldName,
      cleanedText('A value must be text').check(lengthAtMost('A value', CELL_LENGTH_MAX), storable('A value')),
    ),
  }),
  answer: z.object({ import: Import, row: ImportRow }),
  summary: 'Changes fields of one row of an import that was not submitted, and checks the row again.',
})

export const acceptImportOffers = defineRoute({
  method: 'POST',
  path: '/dashboard/leads/imports/:id/accept-offers',
  auth: 'session',
  least: 'member',
  answer: Import,
  summary: 'Takes over every mending that the portal offers, and checks all rows again.',
})

export const discardImport = defineRoute({
  method: 'DELETE',
  path: '/dashboard/leads/imports/:id',
  auth: 'session',
  least: 'member',
  answer: Nothing,
  summary: 'Removes an import that was not submitted.',
})

export const submitImport = defineRoute({
  method: 'POST',
  path: '/dashboard/leads/imports/:id/submit',
  auth: 'session',
  least: 'member',
  body: z.object({
    /** The version of the consent text that the applicants agreed to; it counts for all rows. */
    consentVersion: requiredText('Consent version', NAME_LENGTH_MAX),
    withDuplicates: z.boolean('withDuplicates must be true or false'),
    /** How many rows the caller expects to submit. If there are others by now, nothing is submitted. */
    rows: z
      .int('rows must be a whole number')
      .check(z.minimum(1, 'No row is ready to be submitted'), z.maximum(IMPORT_ROWS_MAX, 'rows is too large')),
  }),
  answer: Import,
  status: 202,
  summary:
    'Submits the rows that are ready, in the background, each once. Once the import is done, submits the rows that were refused.',
})

export const undoImport = defineRoute({
  method: 'POST',
  path: '/dashboard/leads/imports/:id/undo',
  auth: 'session',
  least: 'member',
  answer: Import,
  status: 202,
  summary:
    'Withdraws, in the background, the leads of an import that nobody has touched, and says of each other lead why it stays. Calling it again changes nothing.',
})

export const exportImportRows = defineRoute({
  method: 'GET',
  path: '/dashboard/leads/imports/:id/left-out',
  auth: 'session',
  least: 'member',
  answer: z.string(),
  envelope: 'file',
  summary: 'The rows that were not submitted, as a CSV file whose first column says why.',
})

export const readImportTemplate = defineRoute({
  method: 'GET',
  path: '/dashboard/leads/import-template',
  auth: 'session',
  least: 'member',
  answer: z.string(),
  envelope: 'file',
  summary: 'A CSV file with the columns that an import knows, and no rows.',
})

function isEachOnce(fields: readonly (ImportFieldName | null)[]): boolean {
  const named = fields.filter((field) => field !== null)
  return new Set(named).size === named.length
}
