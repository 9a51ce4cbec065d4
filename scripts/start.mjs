// `npm start`: sets up what is missing, then runs the portal in the same process.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildIfChanged, prepare, root, SMALL } from './set-up.mjs'

try {
  await prepare('run', SMALL)
  await buildIfChanged()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import(pathToFileURL(path.join(root, 'server', 'dist', 'main.js')).href)
