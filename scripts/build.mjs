// `npm run build`: builds everything that `npm run start:prod` needs. `npm start` itself builds the web app when
// something has changed.
import path from 'node:path'
import { announce, buildWeb, prepare, root, run, runVite } from './set-up.mjs'

try {
  await prepare('run')
  await buildWeb()
  const done = announce('Building the server')
  await runVite('build', '--config', path.join('scripts', 'bundle-server.mjs'))
  await run(process.execPath, [path.join(root, 'scripts', 'warm-up.mjs')])
  done()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
