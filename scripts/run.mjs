// `node scripts/run.mjs <level> <file.ts> …`: installs the missing parts of a level (see set-up.mjs), then runs a
// program of the portal in this same process.
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
// The program finds its arguments at the same positions as without this script.
process.argv.splice(1, 3, program)
await import(pathToFileURL(program).href)
