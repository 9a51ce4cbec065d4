// `npm run build`: everything that `npm run start:prod` needs. `npm start` builds the web app by itself when something changed.
import path from 'node:path'
import { buildWeb, prepare, root, run } from './set-up.mjs'

try {
  await prepare('run')
  await buildWeb()
  await run(process.execPath, [...process.execArgv, path.join(root, 'scripts', 'warm-up.mjs')])
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
