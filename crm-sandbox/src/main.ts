import { startSandbox } from './sandbox.ts'

const { port, dir, seed } = readSettings()
const starting = startSandbox({ port, dir, seed })

let isStopping = false
async function stop() {
  if (isStopping) return
  isStopping = true
  await (await starting).close()
  process.exit(0)
}

// The handlers are set before the sandbox has started, so that it also ends if its parent ends during the start.
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())
// If the parent started the sandbox with an IPC channel, the sandbox ends with the parent, however the parent ends.
process.on('disconnect', () => void stop())

try {
  const ready = { ready: true, url: (await starting).url }
  process.stdout.write(`${JSON.stringify(ready)}\n`)
  if (process.connected) process.send?.(ready)
} catch (error) {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
  refuse('CRM_PORT', String(port), 'a free port: another program listens there')
}

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
