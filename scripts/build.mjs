// `npm run build`: builds everything that `npm run start:prod` needs. `npm start` itself builds what has changed.
import path from 'node:path'
import { listPackages } from './list-packages.mjs'
import { announce, buildAll, prepare, root, run } from './set-up.mjs'

try {
  await prepare('run')
  await buildAll()
  const done = announce('Listing the packages, compiling the code')
  await listPackages()
  await run(process.execPath, [path.join(root, 'scripts', 'warm-up.mjs')])
  done()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
