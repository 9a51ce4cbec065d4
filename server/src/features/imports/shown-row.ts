import { IMPORT_FIELD_NAMES, type ImportColumn, type ImportRow } from '@portal/contract/imports.ts'
import { valuesInFile } from './check-rows.ts'
import type { RowFound } from './imports.queries.ts'

/** A row as people see it: each field in words, and the lead that it becomes. */
export function shownRow(columns: readonly ImportColumn[], { lead, ...row }: RowFound): ImportRow {
  return {
    ...row,
    values: { ...valuesInFile(columns, row.cells), ...row.mended },
    mended: IMPORT_FIELD_NAMES.filter((field) => row.mended[field] !== undefined),
    lead: lead && {
      business_name: lead.businessName,
      lead_name: `${lead.firstName} ${lead.lastName}`,
      email: lead.email,
      phone: lead.phone,
      loan_amount: lead.loanAmount,
    },
  }
}
