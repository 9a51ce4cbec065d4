// npm run trial: runs the portal as several processes, on PostgreSQL with a standby, PgBouncer and the balancers of
// deploy/. Processes are restarted, upgraded, frozen and killed under load. The trial counts what failed, what was lost
// and what arrived twice. The programs come from Debian's packages. `npm run trial -- --only=freeze,failover` plays
// only these two acts.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openAsk, signUpAll } from './account.ts'
import { ACTS, type Act, type Scene } from './acts.ts'
import { tryBalancers } from './balancers.ts'
import { type Counted, startLoad } from './load.ts'
import { until } from './processes.ts'
import { startStaff } from './staff.ts'
import { findPrograms, openStage, PORTS } from './stage.ts'
import { type CountedStreams, openStreams } from './streams.ts'
import { countEach, emptyVerdict, judge, type Verdict } from './verdict.ts'
import { findVersions } from './versions.ts'

const PARTNERS = 25
/** One web process has room for all these pages while the other process is down. */
const PAGES_EACH = 8
/** The portal has recovered when all streams are open and no request has failed for this long. */
const CALM_MS = 2_000
const BALANCERS = 'balancers'

const programs = findPrograms()
if (!programs) {
  console.log('The trial needs: apt-get install postgresql pgbouncer haproxy nginx caddy')
  process.exit(1)
}
const { values } = parseArgs({ options: { only: { type: 'string' } } })
const keys = [...ACTS.map(({ key }) => key), BALANCERS]
const chosen = values.only?.split(',') ?? keys
const unknown = chosen.find((key) => !keys.includes(key))
if (unknown !== undefined) {
  console.log(`There is no act '${unknown}': choose from ${keys.join(', ')}`)
  process.exit(2)
}

// On exit, every program that was started is stopped.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const folder = mkdtempSync(join(tmpdir(), 'portal-trial-'))
console.log(`Logs are in ${folder}`)
const faults: string[] = []
const fault = (text: string) => void faults.push(text)
const versions = findVersions(folder)
if (chosen.includes('upgrade')) console.log(`The upgrade is ${versions.what}`)
const stage = await openStage(folder, programs, chosen.includes('upgrade') ? versions.former : versions.present)

let port: number = PORTS.balancers.plain
const { ask, close } = openAsk(() => port)
const accounts = await signUpAll(ask, PARTNERS, stage.mails.lastTo, stage.webhooks.url)
const streams = openStreams(() => port, accounts, PAGES_EACH)
await until('all streams to be open', async () => streams.areOpen())
const load = startLoad(ask, accounts)
let actNow = ''
const staff = startStaff(stage.crm, load.acknowledged, () => actNow)
const rows: Row[] = []
for (const act of ACTS) if (chosen.includes(act.key)) rows.push(await play(act, { stage, load, versions, fault }))
await load.stop()
await staff.stop()
if (chosen.includes(BALANCERS)) await tryBalancers({ ask, account: accounts[0], fault })
const databaseHost = stage.postgres.hosts[chosen.includes('failover') ? 1 : 0] ?? ''
const verdicts = await judge({
  stage,
  databaseHost,
  acknowledged: load.acknowledged,
  remarks: staff.remarks,
  streams,
  fault,
})
streams.close()
close()
await stage.stop()
report()
process.exit(faults.length === 0 ? 0 : 1)

interface Row extends Counted, CountedStreams {
  act: Act
  seconds: number
  wellAfterSeconds: number
}

async function play(act: Act, scene: Scene): Promise<Row> {
  port = PORTS.balancers[act.balancer]
  actNow = act.key
  load.begin(act.key)
  streams.take()
  const startedAt = Date.now()
  console.log(`${act.name} …`)
  const overAt = await act.work(scene)
  await until(
    'all streams and requests to recover',
    async () => streams.areOpen() && Date.now() - load.lastFailedAt() > CALM_MS,
  ).catch((error: Error) => fault(`${act.name}: ${error.message}`))
  const wellAt = Math.max(load.lastFailedAt(), streams.openSince(), overAt)
  const counted = load.begin(act.key)
  for (const [what, count] of countEach([...counted.failedReads, ...counted.failedWrites]))
    console.log(`  ${count} × ${what}`)
  const { failedReads, failedWrites } = counted
  if (act.mayFail !== 'anything' && failedReads.length > 0) fault(`${act.name}: ${failedReads.length} reads failed`)
  if (act.mayFail === 'nothing' && failedWrites.length > 0) fault(`${act.name}: ${failedWrites.length} writes failed`)
  return {
    ...counted,
    ...streams.take(),
    act,
    seconds: (Date.now() - startedAt) / 1_000,
    wellAfterSeconds: (wellAt - overAt) / 1_000,
  }
}

function report(): void {
  const columns = {
    act: ({ act }: Row) => act.name,
    seconds: ({ seconds }: Row) => seconds.toFixed(0),
    requests: ({ requests }: Row) => String(requests),
    'failed reads': ({ failedReads }: Row) => String(failedReads.length),
    'failed writes': ({ failedWrites }: Row) => String(failedWrites.length),
    slowest: ({ worstMs }: Row) => `${(worstMs / 1_000).toFixed(1)} s`,
    'well after': ({ wellAfterSeconds }: Row) => `${wellAfterSeconds.toFixed(1)} s`,
    leads: (_: Row, { leads }: Verdict) => String(leads),
    lost: (_: Row, { leadsLost, crmLost }: Verdict) => `${leadsLost} + ${crmLost}`,
    'twice in CRM': (_: Row, { crmDoubled }: Verdict) => String(crmDoubled),
    webhooks: (_: Row, one: Verdict) => `${one.deliveriesLost} / ${one.deliveriesDoubled} / ${one.deliveriesRepeated}`,
    mails: (_: Row, one: Verdict) => `${one.mails}: ${one.mailsLost} / ${one.mailsDoubled} / ${one.mailsRepeated}`,
    'streams cut': ({ cut, caughtUp }: Row) => `${cut}, ${caughtUp} back`,
    events: (_: Row, { eventsMissed, eventsDoubled }: Verdict) => `${eventsMissed} / ${eventsDoubled}`,
  }
  console.log(`\n| ${Object.keys(columns).join(' | ')} |\n|${' --- |'.repeat(Object.keys(columns).length)}`)
  for (const row of rows) {
    const verdict = verdicts.get(row.act.key) ?? emptyVerdict()
    console.log(
      `| ${Object.values(columns)
        .map((show) => show(row, verdict))
        .join(' | ')} |`,
    )
  }
  console.log(`
failed writes: they were repeated with their Idempotency-Key until they were acknowledged
lost: leads that the database lacks + leads that the CRM lacks
webhooks, mails: lost / doubled / repeated with the same id; each remark of the lender should cause one mail
streams: out of ${streams.count} open pages; events: missed / told twice, added up over all pages\n`)
  for (const [act, one] of verdicts) {
    const { leads: _, mails: __, deliveriesRepeated: ___, mailsRepeated: ____, ...wrong } = one
    for (const [what, count] of Object.entries(wrong)) if (count > 0) fault(`${act}: ${count} ${what}`)
  }
  console.log(faults.length === 0 ? 'All goals were met.' : `Missed:\n  ${faults.join('\n  ')}`)
}
