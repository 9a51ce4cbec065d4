import type { ZohoApi } from './api.ts'
import type { FieldMap } from './field-map.ts'
import type { FieldsThere } from './fields-there.ts'
import type { Metadata } from './metadata.ts'

/** The parts that reading from and writing to the CRM share. */
export interface ZohoParts {
  api: ZohoApi
  fieldMap: FieldMap
  metadata: Metadata
  fieldsThere: FieldsThere
}
