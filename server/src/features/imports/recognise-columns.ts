import { fold } from '@portal/contract/fold.ts'
import {
  IMPORT_FIELD_LABELS,
  IMPORT_FIELD_NAMES,
  type ImportColumn,
  type ImportFieldName,
} from '@portal/contract/imports.ts'
import { LEAD_ALIASES } from '@portal/contract/submissions.ts'
import { shortened } from '../../records/events/activity.ts'
import type { CsvFile } from './read-csv.ts'

/** The headings of the portal's own export, and a few that address books use, where they are not names of the field. */
const HEADINGS: Partial<Record<ImportFieldName, string[]>> = {
  businessName: ['Company', 'Company Name', 'Trading Name'],
  firstName: ['Given Name'],
  lastName: ['Surname', 'Family Name'],
  leadName: ['Lead Name', 'Full Name', 'Contact Name', 'Name'],
  email: ['Email Address', 'E-mail'],
  phone: ['Phone Number', 'Mobile', 'Mobile Phone', 'Mobile Number'],
  iso: ['Country'],
  state: ['State', 'Region'],
  businessAbn: ['ABN/UIN', 'ABN or NZBN', 'NZBN'],
  monthlyTurnover: ['Monthly Sales'],
  loanTerm: ['Term'],
  ownsProperty: ['The applicant owns property'],
  additionalInfo: ['Notes'],
}

const FIELD_OF = new Map<string, ImportFieldName>()
for (const field of IMPORT_FIELD_NAMES) {
  const label = IMPORT_FIELD_LABELS[field]
  for (const name of [field, label, label.replace(/ \(.*/, ''), ...(HEADINGS[field] ?? [])]) {
    FIELD_OF.set(plain(name), field)
  }
}
for (const [alias, field] of Object.entries(LEAD_ALIASES)) FIELD_OF.set(plain(alias), field)

/** Finds each column's field by its heading. A field that two columns name belongs to the first. */
export function recogniseColumns({ heading, rows }: CsvFile): ImportColumn[] {
  const taken = new Set<ImportFieldName>()
  return heading.map((text, at) => {
    const found = FIELD_OF.get(plain(text))
    const field = found === undefined || taken.has(found) ? null : found
    if (field) taken.add(field)
    const sample = rows.find(({ cells }) => cells[at]?.trim())?.cells[at]?.trim()
    return { heading: text, field, sample: sample === undefined ? null : shortened(sample, SAMPLE_LENGTH) }
  })
}

const SAMPLE_LENGTH = 60

/** Headings are compared without case, blanks, marks and signs: 'ABN/UIN', 'abn_uin' and 'abnUin' are one. */
function plain(heading: string): string {
  return fold(heading).replace(/[^\p{L}\p{N}]/gu, '')
}
