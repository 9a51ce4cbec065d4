import { expect, test } from 'vitest'
import { createDatabase } from '../../testing/databases.ts'
import { openHotReads } from './hot-reads.ts'

const MS_MAX = 5_000

test('the hot reads plan a statement once, even if other values promise a cheaper plan', async () => {
  const { url } = await createDatabase()
  const reads = openHotReads(url, () => undefined, MS_MAX)
  const ask = (name: string, text: string, values: unknown[] = []) =>
    reads.query({ name, text, values, rowMode: 'array' })
  for (let limit = 1; limit <= 20; limit++)
    await ask('leads', 'select id from leads order by created_at desc limit $1', [limit])
  const plans = `select sum(generic_plans)::integer, sum(custom_plans)::integer from pg_prepared_statements where name = 'leads'`
  expect((await ask('plans', plans)).rows).toEqual([[10, 0]])
  await reads.close()
})
