// `npm test`: sets up what is missing, including the browser, and runs every check. `-- --only=server` runs one part: a
// project of Vitest, `check` or `e2e`. `-- --changed` runs only the tests that uncommitted changes affect;
// `-- --changed=main` runs only the tests that changes since `main` affect.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { announce, buildIfChanged, prepare, root, run } from './set-up.mjs'

const reports = path.join(root, '.cache', 'reports')
const vitestReports = ['vitest.json', 'vitest-second-try.json'].map((name) => path.join(reports, name))
const playwrightReport = path.join(reports, 'playwright.json')
const vitestProjects = ['contract', 'server', 'crm-sandbox', 'web', 'scripts']
const parts = ['check', ...vitestProjects, 'e2e']
const SLOWEST_SHOWN = 10
/** If tests of more files fail, the machine is not the reason. */
const FILES_TRIED_AGAIN_MAX = 5
const only = option('only')
/** The commit to compare with; undefined runs everything. */
const changedSince = process.argv.includes('--changed') ? 'HEAD' : option('changed')

const INSTALL_CHROMIUM = `
  set -e
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root='sudo -n'; fi
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update -q
  $as_root apt-get install -q -y --no-install-recommends chromium-headless-shell ||
    $as_root apt-get install -q -y --no-install-recommends chromium`

const failures = []
const running = new Set()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop(signal))
if (only && !parts.includes(only)) giveUp(new Error(`--only=${only} names no part: the parts are ${parts.join(', ')}`))
await prepare('test').catch(giveUp)
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })
const wants = (part) => !only || only === part
const changedFiles = changedSince === undefined ? undefined : listChanges(changedSince)
const isProductChanged = changedFiles?.some((file) => /^(contract|server|web|crm-sandbox)\//.test(file)) ?? true
const isE2eChanged = changedFiles?.some((file) => file.startsWith('e2e/')) ?? true
const wantsE2e = wants('e2e') && (isProductChanged || isE2eChanged)

const browser = wantsE2e ? ensureChromium().catch((error) => error) : undefined
const checks = wants('check') ? runChecks() : undefined
if (!only || vitestProjects.includes(only)) await runTests()
if (wantsE2e) {
  const error = await buildIfChanged().then(
    () => browser,
    (failure) => failure,
  )
  if (error instanceof Error) {
    console.log(`✗ set-up of the journeys: ${error.message}`)
    failures.push('journeys')
  } else {
    const someJourneys = isProductChanged ? [] : [`--only-changed=${changedSince}`]
    const words = ['test', '--reporter=list,json', '--pass-with-no-tests', ...someJourneys]
    await check('journeys in a browser', 'playwright', words, {
      CHROMIUM_PATH: error,
      PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport,
    })
  }
}
await checks
await finish()

/**
 * Runs the tests. A file with a failed test runs once more, because some machines are late. All of the file runs again,
 * because a second try of one test would meet what its first try left behind.
 */
async function runTests() {
  const [firstReport, secondReport] = vitestReports
  const projects = only ? [`--project=${only}`] : []
  const changed = changedSince === undefined ? [] : [`--changed=${changedSince}`, '--passWithNoTests']
  if (await runVitest('tests', firstReport, [...projects, ...changed])) return
  const { findFailedFiles } = await import('./read-reports.ts')
  const files = findFailedFiles(firstReport)
  const isTriedAgain = files.length > 0 && files.length <= FILES_TRIED_AGAIN_MAX
  const passes = isTriedAgain && (await runVitest('their second try', secondReport, ['--maxWorkers=1', ...files]))
  if (!passes) failures.push('tests')
}

function runVitest(name, report, words) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return step(name, 'vitest', ['run', ...reporters, ...words])
}

/**
 * Runs the checks one after another beside the tests. Under `nice` they mostly run when every test is waiting for
 * something.
 */
async function runChecks() {
  const politely = (name, program, args) => check(name, 'nice', ['-n', '19', program, ...args])
  await politely('types and lint', 'oxlint', ['--type-aware', '--type-check', '--deny-warnings'])
  await politely('format', 'biome', ['check'])
  await politely('imports between the parts', 'node', ['scripts/check-boundaries.ts'])
  await politely('paths named in documents', 'node', ['scripts/check-docs.mjs'])
  await politely('unused code', 'knip', [])
}

async function check(name, program, args, env) {
  if (!(await step(name, program, args, env))) failures.push(name)
}

/**
 * Prints the last line. A failed check outside the test runners counts as one failed test, so that this line never
 * hides it.
 */
async function finish() {
  const { readReports } = await import('./read-reports.ts')
  const { passed, failed: failedTests, tests } = readReports(vitestReports, playwrightReport)
  const failed = Math.max(failedTests + failures.filter((name) => !isCounted(name)).length, failures.length)
  const late = tests.filter(({ firstFailure }) => firstFailure !== undefined)
  if (late.length > 0) console.log('Passed only on the second try:')
  for (const { name, firstFailure } of late) console.log(`  ${name}: ${firstFailure}`)
  const slowest = tests.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN)
  if (slowest.length > 0) console.log('The slowest tests:')
  for (const { name, ms } of slowest) console.log(`  ${(ms / 1_000).toFixed(1).padStart(5)} s  ${name}`)
  if (failures.length > 0) console.log(`Failed: ${failures.join(', ')}`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}

/** The value of `--name=value`. */
function option(name) {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
}

/** The files that differ from the commit, including files that Git does not track yet. */
function listChanges(commit) {
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')]
}

function isCounted(name) {
  return name === 'tests' || name === 'journeys in a browser'
}

/**
 * Ends the programs, which would go on without this run. They tidy up only for SIGINT, which a terminal has already sent
 * to them.
 */
async function stop(signal) {
  const ends = [...running].map((child) => once(child, 'close'))
  if (signal !== 'SIGINT') for (const child of running) child.kill('SIGINT')
  running.clear()
  await Promise.all(ends)
  process.exit(128 + constants.signals[signal])
}

/** Runs a program and returns whether it passed. Prints the result, the time taken, and after a failure the output. */
function step(name, program, args, env = {}) {
  const startedAt = Date.now()
  const bin = path.join(root, 'node_modules', '.bin')
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
    }
    child.once('error', (error) => {
      text += error.message
    })
    child.once('close', (code) => {
      // The run is stopping, so nothing follows.
      if (!running.delete(child)) return
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
      console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
      // Prints how many of the contract's routes were tried, even after a failure.
      for (const line of text.match(/Contract: .*/g) ?? []) console.log(`  ${line}`)
      if (code !== 0) console.log(text.trimEnd())
      resolve(code === 0)
    })
  })
}

/**
 * Returns the browser's path. Installs the browser where this needs no password: on Debian and Ubuntu, as root or with
 * sudo.
 */
async function ensureChromium() {
  const { findChromium } = await import('../chromium.config.ts')
  const found = findChromium()
  if (found) return found
  const done = announce('Installing Chromium for the journeys')
  try {
    await run('sh', ['-c', INSTALL_CHROMIUM], { output: 'when it fails' })
  } catch (cause) {
    const help = 'install Chromium or Google Chrome, or set CHROMIUM_PATH to the path of a browser'
    throw new Error(`no browser was found and none could be installed: ${help}`, { cause })
  }
  done()
  const installed = findChromium()
  if (!installed) throw new Error('Chromium was installed but cannot be found: set CHROMIUM_PATH')
  return installed
}

function giveUp(error) {
  console.error(error.message)
  console.log('0 passed, 1 failed')
  process.exit(1)
}
