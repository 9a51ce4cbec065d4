import { startSandbox } from './sandbox.ts'

const { port, dir, seed } = readSettings()
const sandbox = await startSandbox({ port, dir, seed })
const ready = { ready: true, url: sandbox.url }
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.(ready)

let isStopping = false
async function stop() {
  if (isStopping) return
  isStopping = true
  await sandbox.close()
  process.exit(0)
}

process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// Started by another process, it never outlives it, however that one ends.
process.on('disconnect', stop)

function readSettings() {
  const port = process.env['CRM_PORT'] ?? '3900'
  const dir = process.env['SANDBOX_DIR'] ?? ''
  const seed = process.env['SANDBOX_SEED'] ?? 'false'
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) refuse('CRM_PORT', port, 'a port number')
  if (dir === '') refuse('SANDBOX_DIR', dir, 'the folder for the sandbox’s state')
  if (seed !== 'true' && seed !== 'false') refuse('SANDBOX_SEED', seed, 'true or false')
  return { port: Number(port), dir, seed: seed === 'true' }
}

function refuse(name: string, value: string, wanted: string): never {
  process.stderr.write(`${name} is ${JSON.stringify(value)}, but must be ${wanted}\n`)
  process.exit(1)
}
