import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../server/src/testing/databases.ts'
import { runSeed } from './run-seed.ts'

test('portal and CRM agree after partners and staff act amid faults, clock jumps, a lack of descriptors and a kill', {
  timeout: 300_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-soak-'))
  const database = await createDatabase()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const differences = await runSeed({
    seed: 2,
    operations: 120,
    behaviour: 'default',
    groups: 'all',
    partners: 2,
    kills: 1,
    acts: { count: 3, of: ['clock', 'descriptors'] },
    folder,
    databaseUrl: database.url,
    say: () => undefined,
  })
  expect(differences).toEqual([])
})
