// A part of `npm run build` and of building the image: compiles the code that a start loads, so that the first start is
// as quick as later ones. Compiled code is for one set of flags, so it needs those of the start.
import { chmodSync, globSync } from 'node:fs'
import * as nodeModule from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { STARTED } from './bundle-server.mjs'
import { compileCache, continueWith, root, SMALL } from './set-up.mjs'

await continueWith(process.execPath, SMALL)
nodeModule.enableCompileCache(compileCache)
for (const part of STARTED) {
  await import(pathToFileURL(path.join(root, 'server', 'dist', `${path.basename(part)}.js`)).href)
}
nodeModule.flushCompileCache()
// Node writes files that only their owner can read, but the portal may run as another user.
for (const file of globSync('*/*', { cwd: compileCache })) chmodSync(path.join(compileCache, file), 0o644)
process.exit(0)
