// `npm run bench:start`: how long a newcomer waits for the first `npm start` in a fresh clone, for later starts and for
// `npm run start:prod`, and how much is installed. Compares this commit with an earlier one (`-- --before=<commit>`, by
// default the commit before this one). Exits with 1 when a goal is missed. Both clones install from npm's own cache,
// which the installation in this folder has filled.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cloneAt, startProduct, withEmptyFolder } from './product.ts'

const SECOND_STARTS = 5
const GOALS = { firstSeconds: 35, installedMb: 450, secondSeconds: 1.3, builtSeconds: 1 }

interface Measured {
  firstSeconds: number
  installedMb: number
  /** The times of later starts, sorted. */
  secondSeconds: number[]
  /**
   * The times of `npm run start:prod`, sorted. `builtCpuSeconds` is the least CPU time of the server in these starts.
   */
  builtSeconds: number[]
  builtCpuSeconds: number
}

const { values: options } = parseArgs({ options: { before: { type: 'string', default: 'HEAD~1' } } })

const before = await measure(options.before)
const now = await measure('HEAD')
const median = (sorted: number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
const spread = (sorted: number[]) => `${sorted[0]?.toFixed(2)}–${sorted.at(-1)?.toFixed(2)}`

console.log(`                         ${options.before.padStart(14)}            HEAD   goal of HEAD`)
const met = [
  line('first start, s', before.firstSeconds, now.firstSeconds, GOALS.firstSeconds),
  line('node_modules, MB', before.installedMb, now.installedMb, GOALS.installedMb),
  line('second start, s', median(before.secondSeconds), median(now.secondSeconds), GOALS.secondSeconds),
  line('start:prod, s', median(before.builtSeconds), median(now.builtSeconds), GOALS.builtSeconds),
]
console.log(
  `second starts, s         ${spread(before.secondSeconds).padStart(14)}${spread(now.secondSeconds).padStart(16)}`,
)
console.log(
  `start:prod, CPU s        ${before.builtCpuSeconds.toFixed(2).padStart(14)}${now.builtCpuSeconds.toFixed(2).padStart(16)}`,
)
process.exit(met.every(Boolean) ? 0 : 1)

function line(name: string, earlier: number, later: number, goal: number): boolean {
  const isMet = later <= goal
  const figures = `${earlier.toFixed(2).padStart(14)}${later.toFixed(2).padStart(16)}`
  console.log(`${name.padEnd(25)}${figures}   ≤ ${goal}: ${isMet ? 'met' : 'missed'}`)
  return isMet
}

async function measure(commit: string): Promise<Measured> {
  let measured: Measured | undefined
  await withEmptyFolder(async (folder) => {
    const clone = join(folder, 'a clone')
    const data = join(folder, 'data')
    cloneAt(commit, clone)
    const first = await startProduct(data, {}, clone)
    await first.stop()
    const second = await startAgain(data, clone, 'start')
    execFileSync('npm', ['run', 'build'], { cwd: clone, stdio: 'ignore' })
    const built = await startAgain(data, clone, 'start:prod')
    const installed = execFileSync('du', ['-sm', join(clone, 'node_modules')], { encoding: 'utf8' })
    measured = {
      firstSeconds: first.startMs / 1_000,
      installedMb: Number.parseInt(installed, 10),
      secondSeconds: second.seconds,
      builtSeconds: built.seconds,
      builtCpuSeconds: built.cpuSeconds,
    }
  })
  if (!measured) throw new Error('nothing was measured')
  return measured
}

async function startAgain(data: string, clone: string, script: 'start' | 'start:prod') {
  const seconds: number[] = []
  const cpuMs: number[] = []
  for (let start = 0; start < SECOND_STARTS; start++) {
    const product = await startProduct(data, {}, clone, script)
    seconds.push(product.startMs / 1_000)
    cpuMs.push(product.cpuMs())
    await product.stop()
  }
  return { seconds: seconds.toSorted((a, b) => a - b), cpuSeconds: Math.min(...cpuMs) / 1_000 }
}
