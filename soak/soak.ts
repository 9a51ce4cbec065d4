// npm run soak -- --seeds=20 --operations=5000 --behaviour=all: plays random actions of partners and staff, with random
// faults, kills, clock jumps, frozen databases, merges and other acts, all determined by the seed. Then compares the CRM and the portal (D23, D30).
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../server/src/platform/local/embedded-postgres.ts'
import { ACTS } from './acts.ts'
import { runSeed } from './run-seed.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    /** The number of the first seed. */
    from: { type: 'string', default: '1' },
    operations: { type: 'string', default: '5000' },
    behaviour: { type: 'string', default: 'all' },
    /** `all`: the lender's CRM has every group of optional fields, and staff use them. `none`: it has none. */
    groups: { type: 'string', default: 'all' },
    partners: { type: 'string', default: '3' },
    kills: { type: 'string', default: '5' },
    acts: { type: 'string', default: '16' },
    /** Keeps the logs, the CRM's data and the database. */
    keep: { type: 'boolean', default: false },
  },
})
const behaviour = values.behaviour === 'all' ? 'all' : 'default'
const groups = values.groups === 'all' ? 'all' : 'none'
const from = Number(values.from)
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => from + index)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const folder = await mkdtemp(join(tmpdir(), 'portal-soak-'))
const silent = { debug: () => undefined, warn: () => undefined }
const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { log: silent, settings: { fsync: 'off' } })
const [{ data_directory: clusterFolder } = { data_directory: '' }] = await onServer('show data_directory')
const postgresPid = Number((await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8')).split('\n')[0])
const failed: number[] = []
try {
  for (const seed of seeds) {
    const startedAt = Date.now()
    const differences = await playSeed(seed)
    const seconds = Math.round((Date.now() - startedAt) / 1_000)
    console.log(`seed ${seed}: ${differences.length} differences, ${seconds} s`)
    for (const { what, log } of differences)
      console.log([`  ${what}`, ...log.map((line) => `      ${line}`)].join('\n'))
    if (differences.length > 0) failed.push(seed)
  }
} finally {
  await postgres.stop()
  if (values.keep) console.log(`kept in ${folder}`)
  else await rm(folder, { recursive: true, force: true })
}
console.log(
  failed.length === 0 ? `${seeds.length} seeds without a difference` : `Seeds with differences: ${failed.join(', ')}`,
)
process.exit(failed.length === 0 ? 0 : 1)

async function playSeed(seed: number) {
  const database = `soak_${seed}`
  await onServer(`create database ${database}`)
  const databaseUrl = new URL(postgres.url)
  databaseUrl.pathname = `/${database}`
  try {
    return await runSeed({
      seed,
      operations: Number(values.operations),
      behaviour,
      groups,
      partners: Number(values.partners),
      kills: Number(values.kills),
      acts: { count: Number(values.acts), of: ACTS },
      postgresPid,
      folder: join(folder, String(seed)),
      databaseUrl: databaseUrl.href,
      say: (text) => console.log(text),
    })
  } finally {
    if (!values.keep) await onServer(`drop database ${database} with (force)`)
  }
}

async function onServer(statement: string) {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}
