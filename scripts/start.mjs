// `npm start`: sets up what is missing, then runs the portal in the same process. If that process does not run the
// pinned Node, it only installs, and a child process does the rest.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildWebIfChanged, prepare, root } from './set-up.mjs'

try {
  await prepare('run')
  await buildWebIfChanged()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import(pathToFileURL(path.join(root, 'server', 'src', 'main.ts')).href)
