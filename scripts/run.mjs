// `node scripts/run.mjs <file.ts> …`: sets up what is missing, then runs a program of the portal in this very process.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './set-up.mjs'

try {
  await prepare()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const program = path.resolve(root, process.argv[2])
// The program finds its own arguments where it would without this script.
process.argv.splice(1, 2, program)
await import(pathToFileURL(program).href)
