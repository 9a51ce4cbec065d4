// npm run soak:mails -- --changes=200 --kills=20: kills the portal while it mails people about changes, and counts the
// mails (D73).
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '../server/src/platform/db/database.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'
import { startEmbeddedPostgres } from '../server/src/platform/local/embedded-postgres.ts'
import { openRandom } from '../server/src/testing/random.ts'
import { tellUnderKills } from './mails-under-kills.ts'

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '200' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const folder = await mkdtemp(join(tmpdir(), 'portal-mails-'))
const silent = { debug: () => undefined, warn: () => undefined }
const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { log: silent, settings: { fsync: 'off' } })
let isExact = false
try {
  const { db, close } = openDatabase(postgres.url, () => undefined)
  await migrate(db)
  await close()
  const startedAt = Date.now()
  const told = await tellUnderKills({
    databaseUrl: postgres.url,
    folder,
    changes: Number(values.changes),
    kills: Number(values.kills),
    random: openRandom(Number(values.seed)),
  })
  for (const [times, pairs] of told) console.log(`mails per person and change: ${times} (${pairs} pairs)`)
  console.log(`${values.changes} changes, ${values.kills} kills, ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  isExact = told.size === 1 && told.has(1)
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
process.exit(isExact ? 0 : 1)
