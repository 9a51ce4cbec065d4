import { expect, test } from 'vitest'
import { openLog } from './log.ts'

function logged(err: unknown): Record<string, unknown> {
  const lines: string[] = []
  openLog('error', { write: (line) => lines.push(line) }).error({ err }, 'it failed')
  return JSON.parse(lines.join('')).err
}

test('an error that is a plain object, as the job queue reports them, is logged with what it says', () => {
  const err = {
    message: 'connect ECONNREFUSED',
    code: 'ECONNREFUSED',
    queue: 'push-lead',
    client: { password: 'geheim' },
  }
  expect(logged(err)).toEqual({ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', queue: 'push-lead' })
})

test('an error that stands for several is logged with what each of them says', () => {
  const err = new AggregateError([new Error('connect ECONNREFUSED ::1'), new Error('connect ECONNREFUSED 127.0.0.1')])
  expect(logged(err)['message']).toBe('connect ECONNREFUSED ::1; connect ECONNREFUSED 127.0.0.1')
})

test('anything else that was thrown is logged as text', () => {
  expect(logged('out of luck')).toEqual({ message: 'out of luck' })
})
