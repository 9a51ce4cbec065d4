// A part of `npm run build`: compiles what a start reads, so that the first one is as quick as the next.
import * as nodeModule from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileCache, root } from './set-up.mjs'

nodeModule.enableCompileCache(compileCache)
for (const part of ['portal.ts', 'config.ts', 'log.ts', 'local/local-servers.ts']) {
  await import(pathToFileURL(path.join(root, 'server', 'src', part)).href)
}
// Writes down what was compiled.
process.exit(0)
