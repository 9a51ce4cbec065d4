import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const ROOT = join(import.meta.dirname, '..')
const OF_A_VERSION = ['package.json', 'contract', 'server']
const COMMITS_MAX = 20

/** Two folders of code, and a description of them. */
export interface Versions {
  former: string
  present: string
  what: string
}

/**
 * Returns two versions. The former version is the newest commit before the newest migration whose code loads: the
 * present version is this code. If git has no such commit among twenty, as in a plain copy, this code is the former
 * version, and the present version is a copy with one more migration. That tests only an additional column, not other
 * code.
 */
export function findVersions(folder: string): Versions {
  const newest = readdirSync(join(ROOT, 'server/migrations')).toSorted().at(-1) ?? ''
  const former = join(folder, 'former-version')
  const skipped: string[] = []
  for (const commit of commitsBefore(`server/migrations/${newest}`)) {
    mkdirSync(former)
    execFileSync('tar', ['-x', '-C', former], { input: git('archive', commit, ...OF_A_VERSION) })
    linkPackages(former)
    if (loads(former)) {
      const without = skipped.length === 0 ? '' : `, since these do not start: ${skipped.join(', ')}`
      return { former, present: ROOT, what: `from ${commit.slice(0, 10)}, which lacks ${newest}${without}` }
    }
    skipped.push(commit.slice(0, 10))
    rmSync(former, { recursive: true })
  }
  return {
    former: ROOT,
    present: copyWithMigration(folder),
    what: 'to this code with one more migration, because git has no earlier version that starts',
  }
}

/** Makes a newer version: a copy of this code with one more migration. Returns its folder. */
export function copyWithMigration(folder: string): string {
  const newer = join(folder, 'newer-version')
  mkdirSync(newer)
  for (const part of OF_A_VERSION) cpSync(join(ROOT, part), join(newer, part), { recursive: true })
  const added =
    'alter table leads add column trial text; create index leads_trial on leads (trial) where trial is not null;'
  writeFileSync(join(newer, 'server/migrations/9001_version_9_1.sql'), added)
  linkPackages(newer)
  return newer
}

/** The newest commits without this file, the newest first. */
function commitsBefore(file: string): string[] {
  try {
    const added = String(git('log', '-1', '--diff-filter=A', '--format=%H', '--', file)).trim()
    return String(git('rev-list', `--max-count=${COMMITS_MAX}`, `${added}^`))
      .trim()
      .split('\n')
  } catch {
    return []
  }
}

/** Whether everything that a process of this code runs can be imported. */
function loads(code: string): boolean {
  try {
    const portal = pathToFileURL(join(code, 'server/src/process/portal.ts'))
    execFileSync(process.execPath, ['-e', `await import('${portal}')`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function git(...words: string[]): Buffer {
  return execFileSync('git', words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 })
}

/** Links the installed packages, and the version's own contract. */
function linkPackages(code: string): void {
  const [packages, theirs] = [join(ROOT, 'node_modules'), join(code, 'node_modules')]
  mkdirSync(join(theirs, '@portal'), { recursive: true })
  for (const name of readdirSync(packages)) {
    if (name !== '@portal' && !name.startsWith('.')) symlinkSync(join(packages, name), join(theirs, name))
  }
  symlinkSync(join(code, 'contract'), join(theirs, '@portal/contract'))
}
