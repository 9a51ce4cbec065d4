// `node scripts/run.mjs <level> <file.ts> …`: installs what is missing of a level (see set-up.mjs), then runs a program of
// the portal in this very process.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './set-up.mjs'

const [level, file] = process.argv.slice(2)
try {
  await prepare(level)
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const program = path.resolve(root, file)
// The program finds its own arguments where it would without this script.
process.argv.splice(1, 3, program)
await import(pathToFileURL(program).href)
