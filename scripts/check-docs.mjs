// Checks the documents. Fails when a path in backticks no longer exists, when no document shows a picture in
// docs/screens, when the changelog does not begin with the version of package.json, or when docs/decisions/index.md
// lacks the number of a decision that a comment cites.
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ENDINGS = /\.(ts|tsx|mjs|json|sql|md|css|html|yml)$/
const documents = globSync(['*.md', 'docs/**/*.md', '*/README.md', '.ci/*.md'], {
  exclude: (name) => name === 'node_modules',
})

let faults = 0
for (const document of documents) {
  const lines = readFileSync(document, 'utf8').split('\n')
  let isExample = false
  for (const [index, line] of lines.entries()) {
    if (line.trimStart().startsWith('```')) isExample = !isExample
    if (isExample) continue
    for (const [, words] of line.matchAll(/`([^`]+)`/g)) {
      if (!looksLikePath(words) || exists(document, words)) continue
      console.error(`${document}:${index + 1} names ${words}, which does not exist`)
      faults += 1
    }
  }
}
const texts = documents.map((document) => readFileSync(document, 'utf8'))
for (const picture of globSync('docs/screens/*')) {
  if (texts.some((text) => text.includes(path.basename(picture)))) continue
  console.error(`no document shows ${picture}`)
  faults += 1
}
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const [, newest] = /^## \[([^\]]+)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
if (newest !== version) {
  console.error(`CHANGELOG.md begins with ${newest}, but package.json has ${version}`)
  faults += 1
}
const explained = readFileSync('docs/decisions/index.md', 'utf8')
const cited = new Map()
for (const file of globSync([
  '{contract,server,web,crm-sandbox}/{src,migrations}/**/*.{ts,tsx,sql}',
  '{soak,bench,e2e}/*.ts',
])) {
  for (const [, number] of readFileSync(file, 'utf8').matchAll(/[ (](D\d{1,3}[a-z]?)(?=[),.: ])/g))
    cited.set(number, file)
}
for (const [number, file] of cited) {
  if (explained.includes(`| ${number} `)) continue
  console.error(`docs/decisions/index.md does not explain ${number}, which ${file} cites`)
  faults += 1
}
process.exit(faults === 0 ? 0 : 1)

/**
 * Whether the words name a file or folder of the repository. False for addresses, routes, commands, patterns, content
 * types, packages, and files that exist only after a build or while the portal runs.
 */
function looksLikePath(words) {
  if (/[\s*{}<>()=:…$|,]/.test(words)) return false
  if (/^(\/|@|~|[A-Z_]+\/|(?:\.\/)?data(?:\/|$)|node_modules\/|application\/|text\/|image\/)/.test(words)) return false
  if (/\/dist(\/|$)/.test(words)) return false
  // Without a known ending, a path must begin with one of our folders. Otherwise `a/b` in prose would count as a path.
  return ENDINGS.test(words) || (words.includes('/') && existsSync(words.split('/')[0]))
}

/** Looks for the file in the root, in the document's folder and in the folders where a reader looks first. */
function exists(document, name) {
  const places = [
    '.',
    path.dirname(document),
    'server',
    'server/src',
    'web',
    'web/src',
    'contract/src',
    'crm-sandbox/src',
  ]
  if (places.some((place) => existsSync(path.join(place, name)))) return true
  // For a bare file name, a file in any of these folders is enough.
  return (
    !name.includes('/') &&
    globSync(`{contract,server,web,crm-sandbox,scripts,e2e,bench,soak,trial,deploy,docs}/**/${name}`).length > 0
  )
}
