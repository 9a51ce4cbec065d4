import { setTimeout as sleep } from 'node:timers/promises'
import { FIELD_GROUPS } from '../contract/src/field-groups.ts'
import { openRandom, type Random } from '../server/src/testing/random.ts'
import { type Act, playAct } from './acts.ts'
import { compare, type Difference } from './compare.ts'
import { compareGroups } from './compare-groups.ts'
import type { Switch } from './crm.ts'
import { openLedger, type Tracked } from './ledger.ts'
import { chooseOperation } from './operations.ts'
import { type Partner, signUpPartner } from './partners.ts'
import { openReader, type Reader } from './reader.ts'
import { watchPortfolios } from './watch-portfolios.ts'
import { type OpenJob, openWorld, type World } from './world.ts'

export interface SoakOptions {
  seed: number
  operations: number
  /**
   * `all` sets each switch of the CRM that has choices to one of them. The next seed sets the switch to the next
   * choice. The switches in `LEFT_ALONE` are exceptions.
   */
  behaviour: 'default' | 'all'
  /** Whether the lender's CRM has the groups of optional fields, which staff then use. */
  groups: 'none' | 'all'
  partners: number
  /** How many times the portal's process is killed, spread evenly over the operations. */
  kills: number
  /** How many acts happen beside kills, and which. Each is chosen by the seed. */
  acts: { count: number; of: readonly Act[] }
  /** The process id of the database server, if the soak may freeze it. */
  postgresPid?: number | undefined
  folder: string
  /** A migrated database without partners, or an empty database. */
  databaseUrl: string
  say(text: string): void
}

const AT_ONCE = 6
/** Faults last until some operations later, so they end when no operation has ended for this long. */
const STILL_MS_MAX = 20_000
const SETTLE_MS_MAX = 300_000
/** The portal is at rest when this many checks in a row, a tenth of a second apart, have found no work. */
const LOOKS = 3
/** Longer than the portal waits for an answer. */
const LATE_MS = 22_000
/** When no other work is left, the wait for a note ends after this many failed attempts to push the note. */
const TRIES = 3

/**
 * These switches keep fixed settings: with other settings, a LOID could occur twice, the portal could be left without
 * a token or without its rights, or the credits could run out. Other tests cover these switches.
 */
const LEFT_ALONE = ['tokenThrottle', 'loidUnique', 'creditsPerDay', 'apiUserSeesRecords']
const EVERY_TIME = { tokenThrottle: false, creditsPerDay: 100_000_000 }
/** The choices for switches that have no list of their own, or not all of them here. */
const OTHER_CHOICES: Record<string, readonly unknown[]> = {
  // An organisation’s own statuses need a field map.
  taskStatuses: ['zoho', 'renamed'],
  timesOffset: ['+10:00', '-05:00'],
  searchLagSeconds: [0, 3],
}

/**
 * Plays one seed: partners and staff act while faults come and go, and a system of each partner reads the feed. Then it
 * waits until no work is left, syncs once and returns the differences.
 */
export async function runSeed(options: SoakOptions): Promise<Difference[]> {
  const { seed, say } = options
  const random = openRandom(seed)
  const mails = !options.acts.of.includes('mail') ? 'outbox' : seed % 2 === 0 ? 'smtp' : 'small-disk'
  const lateMs = options.behaviour === 'all' ? LATE_MS : 2_000
  const world = await openWorld({ ...options, mails, lateMs })
  const readers: Reader[] = []
  try {
    const switches = options.behaviour === 'all' ? rotated(await world.crm.switches(), seed) : {}
    await world.crm.behaviour({ ...switches, ...EVERY_TIME })
    say(`seed ${seed}: ${JSON.stringify(switches)}`)
    if (options.groups === 'all') await world.operate('crm', 'setup', ...FIELD_GROUPS)
    const partners: Partner[] = []
    for (let number = 0; number < options.partners; number++) partners.push(await signUpPartner(world.url, number))
    await world.rows('update people set email_verified = true')
    const zohoIds = await findPartnersInCrm(world, partners)
    for (const partner of partners) readers.push(await openReader(world, partner, seed + partner.number))
    const ledger = openLedger()
    await play(options, lateMs, world, random, partners, zohoIds, ledger)
    world.moveClock(0)
    say(`seed ${seed}: ${ledger.records.length} records, ${ledger.notes.length} notes; waiting until no work is left`)
    await settle(world, { partners, zohoIds }, Number(switches['searchLagSeconds'] ?? 0) + 0.5)
    say(`seed ${seed}: at rest; comparing`)
    const unlike = await Promise.all(readers.map((reader) => reader.finish()))
    const ofGroups = options.groups === 'all' ? await compareGroups(world, partners) : []
    return [...(await compare(world, partners, ledger)), ...ofGroups, ...unlike.flat()]
  } finally {
    for (const reader of readers) reader.stop()
    await world.close()
  }
}

function rotated(switches: readonly Switch[], seed: number): Record<string, unknown> {
  const wanted = switches.flatMap(({ name, choices, default: initial }, index): [string, unknown][] => {
    const values = OTHER_CHOICES[name] ?? choices
    if (!values || LEFT_ALONE.includes(name)) return []
    const value = values[(seed + index) % values.length]
    return value === initial ? [] : [[name, value]]
  })
  return Object.fromEntries(wanted)
}

async function findPartnersInCrm({ crm, hurryJobs }: World, partners: readonly Partner[]): Promise<string[]> {
  const deadline = Date.now() + SETTLE_MS_MAX
  while (Date.now() < deadline) {
    const rows = await crm.list('Partners', ['Email'])
    const ids = partners.flatMap(({ email }) => rows.find((row) => row['Email'] === email)?.id ?? [])
    if (ids.length === partners.length) return ids
    await hurryJobs()
    await sleep(100)
  }
  throw new Error('the partners did not reach the CRM')
}

async function play(
  { operations, kills, acts, say, seed, groups }: SoakOptions,
  lateMs: number,
  world: World,
  random: Random,
  partners: readonly Partner[],
  zohoIds: string[],
  ledger: ReturnType<typeof openLedger>,
): Promise<void> {
  const { crm } = world
  const lookAtPortfolios = watchPortfolios(crm, partners, zohoIds, ledger)
  let looking: Promise<void> | undefined
  const running = new Set<Promise<void>>()
  const slow: Promise<void>[] = []
  const busy = new Map<Tracked, Promise<void>>()
  const killAt = new Set(Array.from({ length: kills }, (_, i) => Math.round((operations * (i + 1)) / (kills + 1))))
  // Mails go either to a mail server or to a disk.
  const impossible = [world.mailServer ? 'disk' : 'mail', groups === 'none' && 'suspension']
  const possible = acts.of.filter((act) => !impossible.includes(act))
  const actAt = new Map(
    Array.from({ length: acts.count }, (_, i) => [
      Math.round((operations * (i + 0.5)) / acts.count),
      { act: random.pick(possible), random: openRandom(random.below(1_000_000)) },
    ]),
  )
  let nextFaults = 0
  let killing: Promise<void> = Promise.resolve()

  for (let number = 1; number <= operations; number++) {
    if (number >= nextFaults) {
      await crm.faults(chooseFaults(random, lateMs))
      nextFaults = number + 10 + random.below(100)
    }
    if (random.chance(0.01)) await world.sweep()
    looking ??= lookAtPortfolios().finally(() => (looking = undefined))
    if (killAt.has(number)) killing = killing.then(world.killPortal)
    const due = actAt.get(number)
    if (due) {
      killing = killing.then(async () => {
        const hindrance = await playAct(due.act, world, due.random, { zohoIds, ledger })
        say(`seed ${seed}: ${due.act}${hindrance === undefined ? '' : ` skipped, ${hindrance}`}`)
      })
    }

    const operation = chooseOperation({ crm, partners, zohoIds, ledger, random, number, hasGroups: groups === 'all' })
    if (!operation) continue
    // The operations on one record run one after another, so that the last one is known.
    const before = operation.record && busy.get(operation.record)
    const run = (before ?? Promise.resolve()).then(operation.run).finally(() => running.delete(run))
    if (operation.record) busy.set(operation.record, run)
    if (operation.isSlow) slow.push(run)
    else running.add(run)
    while (running.size >= AT_ONCE) await untilOneEnds()
  }
  while (running.size > 0) await untilOneEnds()
  await killing
  await hearAll()
  await Promise.all(slow)
  await looking
  await lookAtPortfolios()

  /** A suspended partner's operations wait until the portal has heard that the partner is active again. */
  async function untilOneEnds(): Promise<void> {
    if ((await Promise.race([...running, sleep(STILL_MS_MAX, 'still', { ref: false })])) === 'still') await hearAll()
  }

  async function hearAll(): Promise<void> {
    await crm.faults({})
    await world.sweep()
  }
}

function chooseFaults(random: Random, lateMs: number): object {
  const seed = random.below(1_000_000)
  const faults = random.pick([
    {},
    {},
    { outage: 'status' },
    { outage: 'socket' },
    { tooMany: { chance: 0.3, seed } },
    { tooMany: { every: 3, retryAfterSeconds: 1 } },
    { unavailable: { chance: 0.3, seed } },
    { resetBefore: { chance: 0.3, seed } },
    { resetAfterCommit: { chance: 0.4, seed } },
    { resetAfterCommit: { every: 2 } },
    { slowMs: 300 },
    { late: { times: 2, ms: lateMs, match: '/Notes' } },
    { late: { times: 2, ms: lateMs, match: 'PUT /crm/v8/Leads' } },
    { failEvery: 4 },
    // What no retry helps against: a retired version, an expired licence, a full storage, an empty answer.
    { failEvery: { n: 1, status: 410, code: 'API_VERSION_RETIRED' } },
    { failEvery: { n: 1, status: 403, code: 'LICENSE_EXPIRED' } },
    { failEvery: { n: 1, status: 400, code: 'LIMIT_EXCEEDED', match: 'POST /crm/v8/' } },
    { failEvery: { n: 1, status: 200, match: 'POST /crm/v8/' } },
    { tokenExpired: true },
  ])
  const notifications = random.pick([
    {},
    { drop: 20 },
    { duplicate: 20 },
    { delayMs: 1_500 },
    { reorder: true },
    { single: true },
  ])
  return { ...faults, notifications }
}

/**
 * Ends all faults, waits until no work is left, tries abandoned work once more, does what waits for the operator, and syncs
 * each partner once.
 */
async function settle(
  world: World,
  { partners, zohoIds }: { partners: readonly Partner[]; zohoIds: readonly string[] },
  searchLagSeconds: number,
): Promise<void> {
  await world.crm.faults({})
  await waitForRest(world)
  await linkHeld(world, partners, zohoIds)
  await waitForRest(world)
  await retryFailed(world, partners)
  await waitForRest(world)
  await sleep(searchLagSeconds * 1_000)
  for (const partner of partners) {
    const { status, body } = await partner.post('/crm/sync')
    if (status === 202) await waitForRun(partner, body.data.run_id)
    else if (status !== 200) throw new Error(`the last sync was answered with ${status} ${JSON.stringify(body)}`)
  }
  await waitForRest(world)
  // The portal hears of tasks by the next sweep, if a notification was lost.
  await world.sweep()
  await waitForRest(world)
  await world.pullDetails()
  await waitForRest(world)
}

/** Links the partners whose merged or restored record the portal has not followed by itself (D123). */
async function linkHeld(
  { rows, operate }: World,
  partners: readonly Partner[],
  zohoIds: readonly string[],
): Promise<void> {
  const held = await rows<{ id: string }>(`select id from partners where held_for = 'deleted'`)
  for (const { id } of held) {
    const zohoId = zohoIds[partners.findIndex((partner) => partner.id === id)]
    if (zohoId !== undefined) await operate('partner', 'link', id, zohoId)
  }
}

const WAITING = new Set(['push-note', 'push-document'])

/**
 * Waits until no job is left. A note or file on a deleted record waits until the record is restored, so the wait also ends when
 * only such jobs are left and have been tried again.
 */
async function waitForRest(world: World): Promise<void> {
  const deadline = Date.now() + SETTLE_MS_MAX
  const triesOf = new Map<string, number>()
  let inVain: OpenJob[] = []
  for (let quiet = 0; quiet < LOOKS; ) {
    // A partner's older jobs would take the turns of its younger ones.
    await world.hurryJobs(inVain.map(({ id }) => id))
    const open = await world.openJobs()
    if (Date.now() > deadline) throw new Error(`still at work: ${JSON.stringify(open)}`)
    if (!open.every((job) => WAITING.has(job.name))) triesOf.clear()
    for (const { id, retry_count } of open) if (!triesOf.has(id)) triesOf.set(id, retry_count)
    inVain = open.filter(wasTriedInVain)
    quiet = inVain.length === open.length ? quiet + 1 : 0
    await sleep(100)
  }

  function wasTriedInVain({ id, name, retry_count }: OpenJob): boolean {
    return WAITING.has(name) && retry_count >= (triesOf.get(id) ?? 0) + TRIES
  }
}

async function retryFailed({ rows }: World, partners: readonly Partner[]): Promise<void> {
  for (const [table, path] of [
    ['leads', '/crm/lead'],
    ['deals', '/crm/deal'],
    ['notes', '/crm/note'],
  ] as const) {
    const failed = await rows<{ id: string; partner_id: string }>(
      `select id, partner_id from ${table} where crm = 'failed'`,
    )
    for (const { id, partner_id } of failed) {
      await partners.find((partner) => partner.id === partner_id)?.post(`${path}/${id}/retry-push`)
    }
  }
}

async function waitForRun(partner: Partner, runId: string): Promise<void> {
  const deadline = Date.now() + SETTLE_MS_MAX
  while (Date.now() < deadline) {
    const { body } = await partner.get(`/dashboard/sync-runs/${runId}`)
    if (body.data.status === 'succeeded') return
    if (body.data.status === 'failed') throw new Error(`the last sync failed: ${body.data.error}`)
    await sleep(100)
  }
  throw new Error('the last sync did not end')
}
