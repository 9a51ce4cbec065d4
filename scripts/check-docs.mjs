// A document that names a path is checked: fails when a path in backticks is gone.
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ENDINGS = /\.(ts|tsx|mjs|json|sql|md|css|html|yml)$/
const documents = globSync(['*.md', 'docs/**/*.md', '*/README.md', '.ci/*.md'], {
  exclude: (name) => name === 'node_modules',
})

let gone = 0
for (const document of documents) {
  const lines = readFileSync(document, 'utf8').split('\n')
  let isExample = false
  for (const [index, line] of lines.entries()) {
    if (line.trimStart().startsWith('```')) isExample = !isExample
    if (isExample) continue
    for (const [, words] of line.matchAll(/`([^`]+)`/g)) {
      if (!looksLikePath(words) || exists(document, words)) continue
      console.error(`${document}:${index + 1} names ${words}, which does not exist`)
      gone += 1
    }
  }
}
process.exit(gone === 0 ? 0 : 1)

/** Not: addresses, routes, commands, patterns, types of content, packages, and what only exists while it runs. */
function looksLikePath(words) {
  if (/[\s*{}<>()=:…$|,]/.test(words)) return false
  if (/^(\/|@|~|[A-Z_]+\/|(?:\.\/)?data(?:\/|$)|node_modules\/|application\/|text\/|image\/)/.test(words)) return false
  // Without a known ending it must begin with a folder of ours, or `a/b` in prose would be one.
  return ENDINGS.test(words) || (words.includes('/') && existsSync(words.split('/')[0]))
}

/** Seen from the root, from the document, or as one of the folders in which a reader looks first. */
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
  // A bare file name is enough where it is the only one of that name.
  return (
    !name.includes('/') &&
    globSync(`{contract,server,web,crm-sandbox,scripts,e2e,bench,soak,docs}/**/${name}`).length > 0
  )
}
