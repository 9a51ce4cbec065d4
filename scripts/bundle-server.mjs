// Vite's settings for server/dist, which `npm start` and `npm run start:prod` run. They bundle the thousand modules of a
// start into a few files, because finding and reading modules is the slowest part of a start. The sandbox of the CRM is
// bundled with the server. Tests and tools run the sources.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { root } from './set-up.mjs'

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
    if (id.includes('node_modules')) return code
    const source = path.relative(dist, id)
    return code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${path.dirname(source)}`)})`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(source)}, import.meta.url).href`)
  },
}

// oxlint-disable-next-line import/no-default-export -- Vite wants it
export default {
  root: path.join(root, 'server'),
  logLevel: 'warn',
  plugins: [keepFolders],
  define: {
    BUILD_COMMIT: JSON.stringify(findCommit()) ?? 'undefined',
    BUILT_SANDBOX: JSON.stringify('server/dist/crm-sandbox.js'),
  },
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
      input: {
        ...Object.fromEntries(['main', ...STARTED].map((name) => [path.basename(name), path.join(src, `${name}.ts`)])),
        'crm-sandbox': path.join(root, 'crm-sandbox', 'src', 'main.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' },
    },
  },
}
