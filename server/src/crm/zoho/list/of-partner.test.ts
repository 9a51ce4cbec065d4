import { expect, test } from 'vitest'
import { openApi } from '../api.ts'
import { DEFAULT_FIELD_MAP } from '../field-map.ts'
import { openFieldsThere } from '../fields-there.ts'
import { openMetadata } from '../metadata.ts'
import { openRecordReader } from '../read-records.ts'
import { openPartnerLister } from './of-partner.ts'
import { openQueries } from './queries.ts'

test('each converted lead is listed once, even if there are more converted leads than a search finds', async () => {
  const clock = { now: () => new Date('2026-03-01T00:00:00Z') }
  const api = openApi({
    send: async ({ path, query }) => {
      const row = (id: string) => ({ id, Modified_Time: '2026-02-01T00:00:00Z', Partner: { id: '1' } })
      const found = path === 'Leads/search' ? [row(`10${query?.['page']}`)] : [row('101'), row('200')]
      return { status: 200, body: { data: found, info: { more_records: path === 'Leads/search' } } }
    },
  })
  const metadata = openMetadata(api, clock)
  const fieldsThere = openFieldsThere(metadata, DEFAULT_FIELD_MAP)
  const parts = { api, fieldMap: DEFAULT_FIELD_MAP, metadata, fieldsThere }
  const lister = openPartnerLister(parts, openRecordReader(parts), openQueries(parts))
  const ids: string[] = []
  for await (const page of lister.convertedPages('1')) ids.push(...page.map((version) => version.zoho_id))
  expect(ids).toHaveLength(11)
  expect(new Set(ids).size).toBe(11)
})
