import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openLog } from './log.ts'

function logged(err: unknown): Record<string, unknown> {
  const lines: string[] = []
  openLog('error', { write: (line) => lines.push(line) }).error({ err }, 'it failed')
  return JSON.parse(lines.join('')).err
}

test('a plain object that the job queue reports as an error is logged with only its message, code and queue', () => {
  const err = {
    message: 'connect ECONNREFUSED',
    code: 'ECONNREFUSED',
    queue: 'push-lead',
    client: { password: 'geheim' },
  }
  expect(logged(err)).toEqual({ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', queue: 'push-lead' })
})

test('an aggregate error is logged with the message of each error in it', () => {
  const err = new AggregateError([new Error('connect ECONNREFUSED ::1'), new Error('connect ECONNREFUSED 127.0.0.1')])
  expect(logged(err)['message']).toBe('connect ECONNREFUSED ::1; connect ECONNREFUSED 127.0.0.1')
})

test('a thrown text is logged as the message', () => {
  expect(logged('out of luck')).toEqual({ message: 'out of luck' })
})

test.runIf(existsSync('/dev/full'))(
  'when the disk is full, log lines are lost, but the process continues',
  async () => {
    const program = `
    const { openLog, openLogOutput } = await import('${new URL('log.ts', import.meta.url)}')
    const log = openLog('info', await openLogOutput(true))
    for (let i = 0; i < 20; i++) {
      log.info('a line')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    process.exit(7)`
    await using full = await open('/dev/full', 'w')
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', full.fd, 'inherit'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    const [code] = await once(child, 'exit')
    expect(code).toBe(7)
  },
)
