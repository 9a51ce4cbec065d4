// Checks that every part imports only what ARCHITECTURE.md allows it to import, and that no files import each other in a
// circle. Prints every forbidden import and a circle.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

type Rule = { files: RegExp; mayImport: RegExp; because: string }

const CONTRACT = String.raw`contract/src/`
const PACKAGES = String.raw`package:(?!@portal/)`
/** What every part of the server may use. */
const SERVER_ROOT = String.raw`server/(?:src/deps\.ts|package\.json)$`

/**
 * The wings of the server. An import goes down only: a wing imports itself and the wings after it. `process` and
 * `operator` stand on top.
 */
const WINGS = ['features', 'crm', 'records', 'platform']

/** Which features each feature may import. The routes are imported by process/app.ts only. */
const SERVER_FEATURES = {
  accounts: [],
  team: ['accounts'],
  'api-keys': ['accounts'],
  leads: ['accounts'],
  imports: ['leads', 'accounts'],
  deals: ['accounts'],
  notes: [],
  requests: ['accounts', 'notes'],
  documents: ['accounts', 'requests'],
  sync: [],
  referral: [],
  payments: ['notes'],
  webhooks: ['accounts'],
  mails: ['webhooks', 'inbox', 'accounts'],
  'partner-api': ['leads', 'deals', 'api-keys', 'webhooks', 'accounts'],
  'security-log': [],
  dashboard: [],
  inbox: [],
  search: [],
  views: [],
  live: ['accounts'],
  applicants: [],
}

/** The lower folders of the web app, and which of these folders each is allowed to import. */
const WEB_FOLDERS = {
  session: ['api'],
  live: ['api'],
  api: [],
  document: ['api'],
  router: ['api'],
  ui: ['format', 'router'],
  format: [],
}

/** The first rule whose `files` matches the importing file decides. */
const RULES: Rule[] = [
  {
    files: /^contract\/src\/.*\.test\.ts$/,
    mayImport: anyOf(CONTRACT, 'package:(fast-check|fastest-levenshtein|zod|vitest|node:)'),
    because: 'the contract is shared by browser and server',
  },
  {
    files: /^contract\/src\//,
    mayImport: anyOf(CONTRACT, 'package:(fastest-levenshtein|zod)'),
    because: 'the contract imports zod and fastest-levenshtein only',
  },
  {
    files: /^crm-sandbox\/src\//,
    mayImport: anyOf('crm-sandbox/src/', PACKAGES),
    because: 'the sandbox imports no other workspace',
  },
  // A test of the server uses the server as a whole, so it is allowed to import every part of the server.
  {
    files: /^server\/src\/.*\.test\.ts$|^server\/src\/testing\//,
    mayImport: anyOf('server/', CONTRACT, PACKAGES),
    because: 'the server imports the contract and no other workspace',
  },
  {
    files: /^server\/src\/features\/[\w-]+\/[\w-]+\.routes\.ts$/,
    mayImport: anyOf('server/src/(?!testing/)', CONTRACT, PACKAGES),
    because: 'a route file may import any part of the server except its testing folder',
  },
  ...Object.entries(SERVER_FEATURES).map(([feature, others]) => ({
    files: new RegExp(`^server/src/features/${feature}/`),
    mayImport: anyOf(
      ...[feature, ...others].map((name) => String.raw`server/src/features/${name}/(?!.*\.routes\.ts$)`),
      ...WINGS.slice(1).map((wing) => `server/src/${wing}/`),
      SERVER_ROOT,
      CONTRACT,
      PACKAGES,
    ),
    because: `${feature} builds on ${others.join(', ') || 'no other feature'}; routes are imported by app.ts only`,
  })),
  ...WINGS.slice(1).map((wing, index) => ({
    files: new RegExp(`^server/src/${wing}/`),
    mayImport: anyOf(...WINGS.slice(index + 1).map((lower) => `server/src/${lower}/`), SERVER_ROOT, CONTRACT, PACKAGES),
    because: `${wing} stands below ${WINGS.slice(0, index + 1).join(' and ')}`,
  })),
  {
    files: /^server\//,
    mayImport: anyOf('server/', CONTRACT, PACKAGES),
    because: 'the server imports the contract and no other workspace',
  },
  {
    files: /^web\/src\/.*\.test\.tsx?$|^web\/src\/testing\//,
    mayImport: anyOf('web/', CONTRACT, PACKAGES),
    because: 'the web app imports the contract and no other workspace',
  },
  ...Object.entries(WEB_FOLDERS).map(([folder, others]) => ({
    files: new RegExp(`^web/src/${folder}/`),
    mayImport: anyOf(
      `web/src/(${[folder, ...others].join('|')})/`,
      ...(folder === 'ui' ? ['web/src/api/failure.ts'] : [CONTRACT]),
      PACKAGES,
    ),
    because: `${folder} knows ${others.join(', ') || 'no other folder'}${folder === 'ui' ? ', how a call failed, and no term of the domain' : ''}`,
  })),
  {
    files: /^web\/src\/features\//,
    mayImport: anyOf(
      String.raw`web/src/features/(OWN|documents|inbox|notes|payments|referral|sync|team|views)/(?!.*-page\.tsx$)`,
      `web/src/(${Object.keys(WEB_FOLDERS).join('|')})/`,
      String.raw`web/src/app/(paths|search-params|token-search)\.ts$`,
      CONTRACT,
      PACKAGES,
    ),
    because:
      'only documents, inbox, notes, payments, referral, sync, team and views offer parts to other features; pages are imported by app/routes.tsx only',
  },
  {
    files: /^web\//,
    mayImport: anyOf('web/', CONTRACT, PACKAGES),
    because: 'the web app imports the contract and no other workspace',
  },
]

/** One line that says why an import is forbidden; undefined if it is allowed. */
export function findBoundaryCrossing(file: string, specifier: string): string | undefined {
  const rule = RULES.find(({ files }) => files.test(file))
  if (!rule) return undefined
  const target = importedFile(file, specifier)
  const feature = /\/features\/([\w-]+)\//.exec(file)?.[1] ?? ''
  if (new RegExp(rule.mayImport.source.replace('OWN', feature)).test(target)) return undefined
  return `${file} imports ${specifier}: ${rule.because}`
}

/** The files of a circle of imports, also of imports of types, or undefined. `imports` names the files that each file imports. */
export function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const clear = new Set<string>()
  function circleFrom(file: string, way: readonly string[]): string[] | undefined {
    const at = way.indexOf(file)
    if (at >= 0) return [...way.slice(at), file]
    if (clear.has(file)) return undefined
    for (const next of imports.get(file) ?? []) {
      const circle = circleFrom(next, [...way, file])
      if (circle) return circle
    }
    clear.add(file)
    return undefined
  }
  for (const file of imports.keys()) {
    const circle = circleFrom(file, [])
    if (circle) return circle
  }
  return undefined
}

/** The path from the root of the repository; for a package, `package:name`. */
function importedFile(file: string, specifier: string): string {
  if (specifier.startsWith('@portal/contract/')) return specifier.replace('@portal/contract/', 'contract/src/')
  if (!specifier.startsWith('.')) return `package:${specifier}`
  return path.posix.join(path.posix.dirname(file), specifier)
}

function anyOf(...starts: string[]): RegExp {
  return new RegExp(`^(${starts.join('|')})`)
}

/** Finds the paths of imports with and without `from`, of `export … from` and of `import('…')`. */
function findImports(text: string): string[] {
  const statements =
    /^\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?'([^'\n]+)'|^\}\sfrom\s'([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm
  return [...text.matchAll(statements)].flatMap(([, ...groups]) => groups.find(Boolean) ?? [])
}

if (import.meta.main) {
  const files = globSync('{contract,server,web,crm-sandbox}/src/**/*.{ts,tsx}').map((file) =>
    file.replaceAll(path.sep, '/'),
  )
  const imports = new Map(files.map((file) => [file, findImports(readFileSync(file, 'utf8'))]))
  const faults = [...imports].flatMap(([file, specifiers]) =>
    specifiers.flatMap((specifier) => findBoundaryCrossing(file, specifier) ?? []),
  )
  const circle = findCircle(
    new Map(Array.from(imports, ([file, specifiers]) => [file, specifiers.map((one) => importedFile(file, one))])),
  )
  if (circle) faults.push(`These files import each other: ${circle.join(' → ')}`)
  for (const fault of faults) console.error(fault)
  if (files.length === 0) console.error('No source file was found')
  process.exit(faults.length === 0 && files.length > 0 ? 0 : 1)
}
