// Prepares what the portal needs to run: its dependencies, its own Node, and the built server and web app. Needs only
// Node 20 or later, because it runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

const workspaces = ['contract', 'server', 'web', 'crm-sandbox'].map((name) => `--workspace=${name}`)

/**
 * The levels that can be installed. Each includes the levels before it, and all versions come from one lock file. `run`
 * builds and runs the portal. `test` checks, tests and measures it. `lighthouse` also runs the bench of the web app,
 * and is larger than everything else together.
 */
const LEVELS = [
  { name: 'run', what: 'what the portal needs', flags: ['--omit=dev', '--include-workspace-root', ...workspaces] },
  { name: 'test', what: 'what the tests need', flags: ['--include=dev', '--include-workspace-root', ...workspaces] },
  { name: 'lighthouse', what: 'Lighthouse', flags: ['--include=dev'] },
]

/** The folder with the compiled code of earlier starts. */
export const compileCache = path.join(root, 'node_modules', '.cache', 'compile')

const installStamp = path.join(root, 'node_modules', '.portal-install')
const pinnedNode = path.join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** How Node keeps the portal small. docs/decisions/memory.md gives the reasons. */
export const SMALL = {
  flags: ['--max-semi-space-size=16', '--heap-growing-percent=50', '--no-allocation-site-pretenuring'],
  env: { MALLOC_ARENA_MAX: '1' },
}

/**
 * Installs the missing parts of a level. Returns only under the Node version that package.json names, and with the
 * wanted flags and variables.
 * @param {'run' | 'test' | 'lighthouse'} level
 */
export async function prepare(level, wanted = { flags: [], env: {} }) {
  process.chdir(root)
  if (isPutTogether()) return
  if (!isInstalled(level)) await underLock((share) => isInstalled(level) || install(level, share))
  await continueWith(pinnedNode, wanted)
  stopWithParent()
  nodeModule.enableCompileCache(compileCache)
  // A clean exit saves the cache anyway. The timer saves it even if the first start is killed, so that the second start
  // is quick.
  setTimeout(() => nodeModule.flushCompileCache(), 5_000).unref()
}

/** What is built, each with the folders that it is built from. */
const BUILDS = {
  web: {
    what: 'the web app',
    dist: path.join(root, 'web', 'dist'),
    sources: ['web', 'contract/src'],
    vite: ['build', 'web'],
  },
  server: {
    what: 'the server',
    dist: path.join(root, 'server', 'dist'),
    sources: ['server', 'crm-sandbox/src', 'contract/src', 'scripts'],
    vite: ['build', '--config', path.join('scripts', 'bundle-server.mjs')],
  },
}

/** Builds what has changed since it was built. */
export async function buildIfChanged() {
  const changed = () => Object.values(BUILDS).filter((built) => !isBuilt(built))
  if (isPutTogether() || changed().length === 0) return
  await underLock(() => Promise.all(changed().map(build)))
}

export async function buildAll() {
  await Promise.all(Object.values(BUILDS).map(build))
}

/** @param {(typeof BUILDS)['web']} built */
async function build(built) {
  const sources = sourcesOf(built)
  const done = announce(`Building ${built.what}`)
  await runVite(built.vite)
  writeFileSync(stampOf(built), sources)
  done()
}

function runVite(words) {
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  return run(process.execPath, [vite, ...words], { output: 'when it fails' })
}

/**
 * Runs a program to its end. Rejects if it fails.
 * @param {string} file
 * @param {string[]} args
 * @param {{ output?: 'shown' | 'when it fails', env?: NodeJS.ProcessEnv, onStart?: (pid: number) => void }} [options]
 */
export function run(file, args, { output = 'shown', env = process.env, onStart } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = output === 'shown' ? 'inherit' : ['ignore', 'pipe', 'pipe']
    const child = spawn(file, args, { cwd: root, env, stdio, shell: process.platform === 'win32' && file === 'npm' })
    if (child.pid !== undefined) onStart?.(child.pid)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
    }
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(text)
      process.stderr.write(text)
      reject(new Error(`${[path.basename(file), ...args].join(' ')} ended with ${signal ?? code}`))
    })
  })
}

/** Prints what the caller waits for, and afterwards how long it took. @param {string} what */
export function announce(what) {
  const startedAt = Date.now()
  console.log(`${what} …`)
  return () => console.log(`${what}: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
}

/** An image for production has its packages and its Node already, and this script has not installed them. */
function isPutTogether() {
  const isThere = existsSync(path.join(root, 'node_modules')) && !existsSync(installStamp)
  return process.env.NODE_ENV === 'production' && isThere
}

function isInstalled(level) {
  const { hash, installed } = readInstallStamp()
  return hash === lockHash() && installed >= placeOf(level) && existsSync(pinnedNode)
}

/** `installed` is the index of the installed level in LEVELS, or -1 if no installation was finished. */
function readInstallStamp() {
  const [hash, name] = readIfThere(installStamp)?.split(' ') ?? []
  return { hash, installed: placeOf(name) }
}

function placeOf(level) {
  return LEVELS.findIndex(({ name }) => name === level)
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
}

async function install(wanted, share) {
  const hash = lockHash()
  const { installed } = readInstallStamp()
  // Never removes an installed level, because another command may be using it.
  const level = LEVELS[Math.max(placeOf(wanted), installed)]
  const done = announce(`Installing ${level.what}`)
  // npm runs on the host's Node, because the Node in node_modules is about to be replaced.
  const hostPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.endsWith(path.join('node_modules', '.bin')))
    .join(path.delimiter)
  const env = { ...process.env, PATH: hostPath }
  const flags = [...level.flags, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  // A finished installation is extended in place. After an interrupted one, npm starts over.
  const command = installed < 0 ? ['ci'] : ['install', '--no-save']
  rmSync(installStamp, { force: true })
  await run('npm', [...command, ...flags], { env, onStart: share })
  // Where install scripts are switched off, Node's package does not contain its program yet.
  if (!existsSync(pinnedNode)) {
    await run('npm', ['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'], {
      env,
      output: 'when it fails',
      onStart: share,
    })
  }
  if (!existsSync(pinnedNode)) throw new Error('The npm package "node" did not install its program for this platform')
  removeUnread()
  writeFileSync(installStamp, `${hash} ${level.name}`)
  done()
}

/** Removes package files that nothing here reads: 67 MB of C headers, and OpenTelemetry's copies for bundlers. */
function removeUnread() {
  const modules = path.join(root, 'node_modules')
  for (const folder of foldersIn(path.join(modules, 'node', 'node_modules'))) {
    rmSync(path.join(folder, 'include'), { recursive: true, force: true })
  }
  for (const folder of foldersIn(path.join(modules, '@opentelemetry'))) {
    for (const copy of ['esm', 'esnext']) rmSync(path.join(folder, 'build', copy), { recursive: true, force: true })
  }
}

function foldersIn(folder) {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return entries.map((entry) => path.join(folder, entry.name))
}

function isSameFile(one, other) {
  try {
    return statSync(one).ino === statSync(other).ino && statSync(one).dev === statSync(other).dev
  } catch {
    return false
  }
}

/**
 * Returns only in a process of this Node with these flags and variables. Otherwise runs the same command line again: in
 * this process's place if its Node can do that, else in a child process whose exit code becomes its own.
 */
export async function continueWith(node, { flags, env }) {
  const missing = flags.filter((flag) => !process.execArgv.includes(flag))
  const isSet = Object.keys(env).every((name) => process.env[name])
  if (isSameFile(process.execPath, node) && missing.length === 0 && isSet) return
  const args = [...process.execArgv, ...missing, ...process.argv.slice(1)]
  const environment = { ...env, ...process.env }
  process.execve?.(node, [node, ...args], environment)
  process.exit(await runAsChild(node, args, environment))
}

function runAsChild(node, args, env) {
  return new Promise((resolve) => {
    // The IPC channel closes when this process is killed, and the child then stops.
    const child = spawn(node, args, { cwd: root, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.once('exit', (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]))
  })
}

/**
 * Stops this process with SIGTERM when npm or the parent process is killed. Otherwise nobody would be left to stop it,
 * and it would keep its port for ever.
 */
export function stopWithParent() {
  const stop = () => {
    console.error('The process that started this one has ended, so this one stops.')
    process.kill(process.pid, 'SIGTERM')
  }
  if (process.connected) {
    process.once('disconnect', stop)
    // Listening alone must not keep a finished program alive.
    process.channel.unref()
    return
  }
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  setInterval(() => process.ppid === parent || stop(), 500).unref()
}

function isBuilt(build) {
  return readIfThere(stampOf(build)) === sourcesOf(build)
}

function stampOf({ dist }) {
  return path.join(dist, '.portal-build')
}

/** Lists names, sizes and times of files instead of their contents, because every start makes this list. */
function sourcesOf({ sources }) {
  return [lockHash(), ...sources.flatMap((folder) => listFiles(path.join(root, folder)))].join('\n')
}

/** @returns {string[]} */
function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return ['dist', 'node_modules'].includes(entry.name) ? [] : listFiles(file)
    if (/\.test\.tsx?$/.test(entry.name)) return []
    const { size, mtimeMs } = statSync(file)
    return [`${path.relative(root, file)} ${size} ${mtimeMs}`]
  })
}

/**
 * Runs the work under a lock, so that the second of two simultaneous starts waits for the first. The lock of a killed
 * start is taken over. The work shares the lock with the npm that it starts, because npm outlives a killed start, and two
 * that install at once fail.
 */
async function underLock(work) {
  const lock = path.join(root, '.cache', 'set-up.lock')
  mkdirSync(path.dirname(lock), { recursive: true })
  let hasSaidSo = false
  while (!tryLock(lock)) {
    if (!hasSaidSo) console.log('Waiting for another start to finish setting up …')
    hasSaidSo = true
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  try {
    await work((pid) => writeFileSync(lock, `${process.pid} ${pid}`))
  } finally {
    rmSync(lock, { force: true })
  }
}

function tryLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const owner = readIfThere(lock)
  const isHeld = owner === '' ? isYoung(lock) : owner?.split(' ').some((pid) => isAlive(Number(pid)))
  if (owner === undefined || isHeld) return false
  const taken = `${lock}.${process.pid}`
  try {
    // If two starts take the lock over at once, only one gets the file. If another start has renewed the lock in the
    // meantime, its file is put back.
    renameSync(lock, taken)
    if (readIfThere(taken) === owner) rmSync(taken)
    else renameSync(taken, lock)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  return false
}

/** A lock is empty for an instant after its creation. It stays empty only if its process died at that point. */
function isYoung(lock) {
  const stats = statSync(lock, { throwIfNoEntry: false })
  return stats === undefined || Date.now() - stats.mtimeMs < 5_000
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
