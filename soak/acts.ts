import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../server/src/testing/random.ts'
import { ADMINISTRATION, type Administered, administer } from './administration.ts'
import type { World } from './world.ts'

/** What happens beside kills: to the machine, and by the lender's administrators. */
export const ACTS = ['clock', 'descriptors', 'disk', 'database', 'mail', ...ADMINISTRATION] as const
export type Act = (typeof ACTS)[number]

const CLOCK_JUMPS_MS = [-300_000, -20_000, 20_000, 300_000]
const FREEZE_MS_MAX = 12_000
const LIMIT_MS_MAX = 6_000

/**
 * Plays one act and undoes it, except that a clock stays wrong until the next jump. Returns why the machine cannot do
 * it, if so.
 */
export async function playAct(
  act: Act,
  world: World,
  random: Random,
  lender: Administered,
): Promise<string | undefined> {
  const ms = 1_000 + random.below((act === 'database' ? FREEZE_MS_MAX : LIMIT_MS_MAX) - 1_000)
  const spare = random.below(12)
  const jumpMs = random.pick(CLOCK_JUMPS_MS)
  const manner = random.pick(['slow', 'deaf'] as const)
  switch (act) {
    case 'clock':
      world.moveClock(jumpMs)
      return undefined
    case 'descriptors':
      return withFewDescriptors(world.portalPid(), spare, () => sleep(ms))
    case 'disk':
      return withFullDisk(world.smallDisk, () => sleep(ms))
    case 'database':
      return withFrozenDatabase(world, () => sleep(ms))
    case 'mail':
      world.mailServer?.behave(manner)
      await sleep(2 * ms)
      world.mailServer?.behave('prompt')
      return undefined
    default:
      await administer(act, { ...lender, crm: world.crm, random, ms })
      return undefined
  }
}

/** Lets the process open only `spare` files more than it has open now. */
async function withFewDescriptors(pid: number, spare: number, work: () => Promise<void>): Promise<string | undefined> {
  const limit = (soft: number) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`])
  try {
    const [, before = '1024'] = /Max open files +(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? []
    limit(readdirSync(`/proc/${pid}/fd`).length + spare)
    await work()
    limit(Number(before))
    return undefined
  } catch (error) {
    return `prlimit does not work here: ${String(error)}`
  }
}

async function withFullDisk(folder: string | undefined, work: () => Promise<void>): Promise<string | undefined> {
  if (folder === undefined) return 'no small disk could be mounted'
  const ballast = join(folder, 'ballast')
  for (let bytes = 1 << 20; bytes > 0; bytes >>= 4) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      // The disk has no room for so much.
    }
  }
  await work()
  rmSync(ballast)
  return undefined
}

/** Stops all processes of the database server, as a frozen host does. */
async function withFrozenDatabase(world: World, work: () => Promise<void>): Promise<string | undefined> {
  if (world.postgresPid === undefined) return 'the database server is not the soak’s own'
  const pids = [world.postgresPid, ...childrenOf(world.postgresPid)]
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, name)
      } catch {
        // The process has ended.
      }
    }
  }
  const wake = () => signal('SIGCONT')
  process.once('exit', wake)
  signal('SIGSTOP')
  await work()
  wake()
  process.off('exit', wake)
  return undefined
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, ppid] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        return Number(ppid) === parent ? [Number(pid)] : []
      } catch {
        return []
      }
    })
}
