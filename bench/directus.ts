import { type CommonSpawnOptions, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import { keysOf } from '@portal/contract/record-fields.ts'
import { LINES } from '../server/src/platform/db/search-columns.ts'
import { DEAL_COLUMNS, LEAD_COLUMNS } from '../server/src/platform/db/tables.ts'
import { type LoadedPartner, removeCreated } from './load-data.ts'
import { cpuMs, type Product } from './product.ts'

/** No program of the `isolated-vm` that Directus names runs on this Node. Only extensions of Directus use it. */
const PACKAGE = {
  private: true,
  dependencies: { directus: '12.4.0' },
  overrides: { 'isolated-vm': '6.2.0' },
}
const PORT = 3422
const ADMIN_TOKEN = 'the-token-of-the-bench'
const SCHEMA = 'directus'
const OF_A_LEAD = ['notes', 'history', 'requests']
const COLLECTIONS = ['leads', 'deals', ...OF_A_LEAD]
const START_MS_MAX = 60_000
const LOOK_EVERY_MS = 100

/** The columns of the portal's answers, without those that the portal computes. */
export const FIELDS = { leads: [...LEAD_COLUMNS, ...keysOf(LEAD_VERDICT)], deals: DEAL_COLUMNS }

export interface Directus {
  url: string
  cpuMs(): number
  stop(): Promise<void>
}

/** Installs Directus in the folder, unless it is there. */
export function installDirectus(folder: string): void {
  // npm writes this file last.
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return
  console.log('installing Directus …')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(PACKAGE))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
}

/**
 * Starts Directus on the product's PostgreSQL, in a schema of its own. At the first start it gets the product's leads,
 * notes and histories. It neither caches nor limits nor logs calls.
 */
export async function startDirectus(folder: string, product: Product, partners: LoadedPartner[]): Promise<Directus> {
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(PORT),
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    DB_CLIENT: 'pg',
    DB_HOST: new URL(product.databaseUrl).searchParams.get('host') ?? '',
    DB_PORT: '5432',
    DB_DATABASE: 'postgres',
    DB_USER: 'postgres',
    DB_PASSWORD: 'unused',
    DB_SEARCH_PATH: `array:${SCHEMA}`,
    SECRET: 'a-secret-of-the-bench-with-enough-letters',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'a-password-for-the-bench',
    ADMIN_TOKEN,
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    CACHE_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
  }
  const output = openSync(join(folder, 'output.log'), 'a')
  const run: CommonSpawnOptions = { cwd: folder, env, stdio: ['ignore', output, output] }
  const program = join(folder, 'node_modules/directus/cli.js')
  // The schema gets its comment last, so that an interrupted load does not count as loaded.
  const { rows } = await product.pool.query(`select from pg_namespace where obj_description(oid) = 'loaded'`)
  const isLoaded = rows.length > 0
  if (isLoaded) {
    await removeCreated(product, `${SCHEMA}.leads`)
  } else {
    await product.pool.query(copyOfTheData())
    execFileSync(process.execPath, [program, 'bootstrap'], run)
  }
  const child = spawn(process.execPath, [program, 'start'], run)
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
  }
  try {
    const deadline = performance.now() + START_MS_MAX
    while (!(await isReady(env.PUBLIC_URL))) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error('Directus did not start')
      await sleep(LOOK_EVERY_MS)
    }
    if (!isLoaded) {
      await configure(env.PUBLIC_URL, partners)
      await product.pool.query(`comment on schema ${SCHEMA} is 'loaded'`)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { url: env.PUBLIC_URL, cpuMs: () => cpuMs(child.pid ?? 0), stop }
}

/** SQL: tables with the product's rows, and the indexes that Directus' reads need. Directus relates rows by their ids. */
function copyOfTheData(): string {
  return `
    drop schema if exists ${SCHEMA} cascade;
    create schema ${SCHEMA};
    set search_path = ${SCHEMA}, public;
    create table ${SCHEMA}.leads as select partner_id, ${FIELDS.leads.join(', ')} from public.leads;
    alter table leads add primary key (id), alter partner_id set not null, alter business_name set not null,
      alter id set default gen_random_uuid(), alter loid set default 'LO-' || gen_random_uuid(), alter lead_status set default 'New Lead',
      alter crm set default 'pending', alter created_at set default now(), alter modified_time set default now();
    create unique index on leads (loid);
    create index on leads (partner_id, created_at desc, id desc);
    create table ${SCHEMA}.deals as select partner_id, ${FIELDS.deals.join(', ')} from public.deals;
    alter table deals add primary key (id);
    create index on deals (partner_id, created_at desc, id desc);
    create table ${SCHEMA}.notes as
      select notes.id, notes.partner_id, leads.id as lead, title, content, created_by, notes.submitter_id, notes.submitted_by,
             notes.created_at, notes.crm, notes.crm_problem
        from public.notes join public.leads using (loid);
    create table ${SCHEMA}.history as
      select history_entries.id, history_entries.partner_id, leads.id as lead, value, changed_time, changed_by,
             history_entries.description
        from public.history_entries join public.leads using (loid);
    create table ${SCHEMA}.requests as
      select id, null::uuid as lead, subject, reason, due_on, state, asked_at, answered_at from public.requests;
    alter table notes add primary key (id), add foreign key (lead) references leads;
    alter table history add primary key (id), add foreign key (lead) references leads;
    alter table requests add primary key (id), add foreign key (lead) references leads;
    create index on notes (lead);
    create index on history (lead);
    create index on requests (lead);
    analyze leads, deals, notes, history, requests;
    reset search_path;`
}

async function configure(url: string, partners: LoadedPartner[]): Promise<void> {
  const ask = async <Answer = unknown>(method: string, path: string, body: object): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`Directus answered ${response.status} to ${method} ${path}: ${text}`)
    return JSON.parse(text).data
  }
  for (const collection of COLLECTIONS) await ask('PATCH', `/collections/${collection}`, { meta: {} })
  for (const collection of OF_A_LEAD) {
    await ask('POST', '/fields/leads', { field: collection, type: 'alias', meta: { special: ['o2m'] } })
    await ask('PATCH', `/relations/${collection}/lead`, { meta: { one_field: collection } })
  }
  for (const table of ['leads', 'deals'] as const) {
    const searched: readonly string[] = LINES[table].flat()
    const others = FIELDS[table].filter((field) => !searched.includes(field))
    const changes = others.map((field) => ({ field, meta: { searchable: false } }))
    await ask('PATCH', `/fields/${table}`, changes)
  }
  // A rule that shows a partner only its own rows needs a licence in this version. So the requests name the partner.
  const { id: policy } = await ask<{ id: string }>('POST', '/policies', {
    name: 'Partner',
    permissions: [
      ...COLLECTIONS.map((collection) => ({ collection, action: 'read', fields: ['*'] })),
      { collection: 'leads', action: 'create', fields: ['*'] },
    ],
  })
  const { id: role } = await ask<{ id: string }>('POST', '/roles', { name: 'Partner', policies: [{ policy }] })
  await ask(
    'POST',
    '/users',
    partners.map((partner) => ({ role, token: partner.id })),
  )
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/server/ping`).then(
    (response) => response.ok,
    () => false,
  )
}
