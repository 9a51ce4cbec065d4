// `npm run start:prod`: runs what `npm run build` has made. It installs and builds nothing, and needs no package that
// only builds or tests use.
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileCache, continueWith, root, SMALL, stopWithParent } from './set-up.mjs'

const NODE_MIN = 24
const server = path.join(root, 'server', 'dist', 'main.js')
const web = path.join(root, 'web', 'dist', 'index.html')

try {
  if (Number.parseInt(process.versions.node, 10) < NODE_MIN) {
    throw new Error(`The portal needs Node ${NODE_MIN} or later, and this is ${process.version}`)
  }
  if (!existsSync(server) || (process.env.ROLE !== 'worker' && !existsSync(web))) {
    throw new Error('The portal is not built: run npm run build before npm run start:prod')
  }
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await continueWith(process.execPath, SMALL)
stopWithParent()
// The build has filled this folder. A read-only folder stays as it is.
nodeModule.enableCompileCache(compileCache)
await import(pathToFileURL(server).href)
