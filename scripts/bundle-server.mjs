// Vite's settings for server/dist, which `npm run start:prod` runs. They bundle the thousand modules of a start into a
// few files, because finding and reading modules is the slowest part of a start. Everything but start:prod runs the
// sources.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { root, run } from './set-up.mjs'

const src = path.join(root, 'server', 'src')
const dist = path.join(root, 'server', 'dist')

/** The commit that is built: `COMMIT` where the code came without its history, as in an image. Undefined if unknown. */
function findCommit() {
  if (process.env.COMMIT) return process.env.COMMIT
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}

/** The modules that a start loads. The warm-up loads these modules without starting the portal. */
export const STARTED = ['process/portal', 'platform/config', 'platform/log', 'platform/local/local-servers']

/** Files that are read at run time stay beside the sources, so the bundle looks for them there. */
const keepFolders = {
  name: 'keep-folders',
  transform(code, id) {
    const folder = JSON.stringify(`/${path.relative(dist, path.dirname(id))}`)
    return code.replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`)
  },
}

/**
 * Writes which packages of the lockfile the portal is made of, with versions and checksums, as CycloneDX. With
 * `--omit=dev`, npm would also leave out those that another part has for its tests, such as React.
 */
const listPackages = {
  name: 'list-packages',
  async generateBundle() {
    const parts = ['contract', 'server', 'web', 'crm-sandbox'].map((part) => `--workspace=${part}`)
    const form = ['--sbom-format=cyclonedx', '--sbom-type=application', '--loglevel=silent']
    const source = await run('npm', ['sbom', ...form, '--package-lock-only', ...parts], { output: 'when it fails' })
    this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source })
  },
}

// oxlint-disable-next-line import/no-default-export -- Vite wants it
export default {
  root: path.join(root, 'server'),
  logLevel: 'warn',
  plugins: [keepFolders, listPackages],
  define: { BUILD_COMMIT: JSON.stringify(findCommit()) ?? 'undefined' },
  ssr: {
    noExternal: true,
    // Native code, and packages that a start does not load.
    external: [
      '@node-rs/argon2',
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      'nodemailer',
      'pg-native',
      'pino-pretty',
      'prom-client',
    ],
  },
  build: {
    ssr: true,
    outDir: dist,
    emptyOutDir: true,
    // Stack traces must name functions.
    minify: false,
    rolldownOptions: {
      input: ['main', ...STARTED].map((name) => path.join(src, `${name}.ts`)),
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' },
    },
  },
}
