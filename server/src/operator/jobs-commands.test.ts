import { expect, test } from 'vitest'
import { openDataFolder } from '../testing/portal-process.ts'
import { startPortal } from '../testing/start-portal.ts'
import { waitFor } from '../testing/wait-for.ts'

test('operators can list, retry and drop waiting and given-up jobs', async () => {
  await using folder = await openDataFolder()
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  const { loid } = await partner.submitLead()
  const { pool } = portal.deps
  const stateOf = async (id: string) => {
    const { rows } = await pool.query<{ state: string }>('select state from jobs.job where id = $1', [id])
    return rows[0]?.state
  }
  const env = { DATABASE_URL: portal.database.url }
  const listed = await waitFor('a retry', async () => {
    const { out } = await folder.command(['jobs', 'push-lead'], env)
    return /waits for a retry/.test(out) && out
  })
  expect(listed).toMatch(/^ID +QUEUE +STATE +SINCE \(UTC\) +DUE \(UTC\) +TRIES +ABOUT +PROBLEM\n/)
  expect(listed).toMatch(
    new RegExp(
      `^\\S{36} +push-lead +waits for a retry +\\S+ +\\S+ +\\d+ +\\{"loid":"${loid}","partnerId":"${partner.id}"\\} +The CRM`,
      'm',
    ),
  )
  const id = /^(\S{36}) +push-lead/m.exec(listed)?.[1] ?? ''

  await pool.query(
    "update jobs.job set state = 'failed', retry_count = retry_limit, completed_on = now() where id = $1",
    [id],
  )
  expect((await folder.command(['jobs'], env)).out).toMatch(new RegExp(`^${id} +push-lead +given up `, 'm'))
  expect(await folder.command(['jobs', 'retry', id], env)).toMatchObject({ code: 0, out: 'Jobs set to run now: 1\n' })
  await waitFor('another try', async () => (await stateOf(id)) === 'active' || (await stateOf(id)) === 'retry')

  // The queue `sweep` lets only one job wait, so the other job stays given up.
  await pool.query(
    "insert into jobs.job (name, state, policy) select 'sweep', 'failed', 'stately' from generate_series(1, 2)",
  )
  expect(await folder.command(['jobs', 'retry', 'sweep'], env)).toMatchObject({
    code: 0,
    out: 'Jobs set to run now: 1\n',
  })
  await pool.query("delete from jobs.job where name = 'sweep'")
  const { rows: sweeps } = await pool.query<{ id: string }>(
    `insert into jobs.job (name, state, policy, start_after)
     select 'sweep', state, 'stately', now() + interval '1 hour' from unnest('{failed,retry}'::jobs.job_state[]) as state
     returning id`,
  )
  expect(await folder.command(['jobs', 'retry', String(sweeps[0]?.id)], env)).toMatchObject({
    code: 1,
    err: `The queue lets only one job wait for a retry, and another job already waits: ${sweeps[1]?.id}\n`,
  })

  // A job that is due could run while it is dropped.
  await waitFor('the end of the other try', async () => {
    const { rows } = await pool.query(
      "select from jobs.job where id = $1 and (state = 'failed' or state = 'retry' and start_after > now())",
      [id],
    )
    return rows.length === 1
  })
  expect(await folder.command(['jobs', 'drop', id], env)).toMatchObject({ code: 0, out: 'Jobs removed: 1\n' })
  expect(await stateOf(id)).toBeUndefined()
  expect(await folder.command(['jobs', 'drop', id], env)).toMatchObject({
    code: 1,
    err: `No waiting or given-up job has the id or queue "${id}"\n`,
  })
})
