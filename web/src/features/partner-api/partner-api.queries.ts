import { ApiDocs, readApiDocs } from '@portal/contract/partner-api.ts'
import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { call } from '../../api/call.ts'

/**
 * The documentation as the page can show it. It is invalid without authentication, endpoints or examples (section 8).
 * If any other part is missing, the page leaves that part out.
 */
const ReadableDocs = z.required(z.partial(ApiDocs), { authentication: true, endpoints: true, examples: true })
export type ReadableDocs = z.infer<typeof ReadableDocs>

/** Returns null if the answer is not valid documentation. */
export function apiDocsQuery() {
  return queryOptions({
    queryKey: ['partner-api', 'docs'],
    queryFn: async ({ signal }): Promise<ReadableDocs | null> =>
      ReadableDocs.safeParse(await call(readApiDocs, { signal })).data ?? null,
  })
}
