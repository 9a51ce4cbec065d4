import type { ZohoApi } from './api.ts'
import type { FieldMap } from './field-map.ts'
import type { Metadata } from './metadata.ts'

/** What reading from and writing to the CRM is made of. */
export interface ZohoParts {
  api: ZohoApi
  fieldMap: FieldMap
  metadata: Metadata
}
