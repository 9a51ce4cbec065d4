import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const OF_A_VERSION = ['package.json', 'contract', 'server']

/** Two folders of code, and a description of them. */
export interface Versions {
  former: string
  present: string
  what: string
}

/**
 * Returns two versions. The former version is the code before the newest migration, taken from git. The present version
 * is this code. If git has no such history, as in a plain copy, this code is the former version, and the present
 * version is a copy with one more migration. That tests only an additional column, not other code.
 */
export function findVersions(folder: string): Versions {
  const newest = readdirSync(join(ROOT, 'server/migrations')).toSorted().at(-1) ?? ''
  const other = join(folder, 'other-version')
  mkdirSync(other)
  const commit = commitBefore(`server/migrations/${newest}`)
  if (commit !== undefined) {
    const archive = git('archive', commit, ...OF_A_VERSION)
    execFileSync('tar', ['-x', '-C', other], { input: archive })
    linkPackages(other)
    return { former: other, present: ROOT, what: `from ${commit.slice(0, 10)}, the last commit without ${newest}` }
  }
  for (const part of OF_A_VERSION) cpSync(join(ROOT, part), join(other, part), { recursive: true })
  const added =
    'alter table leads add column trial text; create index leads_trial on leads (trial) where trial is not null;'
  writeFileSync(join(other, 'server/migrations/9001_version_9_1.sql'), added)
  linkPackages(other)
  return {
    former: ROOT,
    present: other,
    what: 'to this code with one more migration, because git has no earlier version',
  }
}

function commitBefore(file: string): string | undefined {
  try {
    const added = String(git('log', '-1', '--diff-filter=A', '--format=%H', '--', file)).trim()
    return added ? String(git('rev-parse', `${added}^`)).trim() : undefined
  } catch {
    return undefined
  }
}

function git(...words: string[]): Buffer {
  return execFileSync('git', words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 })
}

/** Links the installed packages, and the version's own contract. */
function linkPackages(other: string): void {
  const [packages, theirs] = [join(ROOT, 'node_modules'), join(other, 'node_modules')]
  mkdirSync(join(theirs, '@portal'), { recursive: true })
  for (const name of readdirSync(packages)) {
    if (name !== '@portal' && !name.startsWith('.')) symlinkSync(join(packages, name), join(theirs, name))
  }
  symlinkSync(join(other, 'contract'), join(theirs, '@portal/contract'))
}
