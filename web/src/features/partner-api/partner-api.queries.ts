import { ApiDocs, readApiDocs } from '@portal/contract/partner-api.ts'
import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { call } from '../../api/call.ts'

/**
 * What the page can show. Documentation without authentication, endpoints or examples is invalid (section 8); any other part
 * may be missing, and its section with it.
 */
const ReadableDocs = z.required(z.partial(ApiDocs), { authentication: true, endpoints: true, examples: true })
export type ReadableDocs = z.infer<typeof ReadableDocs>

/** The documentation; null when what came is not readable as such. */
export function apiDocsQuery() {
  return queryOptions({
    queryKey: ['partner-api', 'docs'],
    queryFn: async ({ signal }): Promise<ReadableDocs | null> =>
      ReadableDocs.safeParse(await call(readApiDocs, { signal })).data ?? null,
  })
}
