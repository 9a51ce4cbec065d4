import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

test('npm test fails if --only names an unknown part, instead of running nothing', () => {
  const script = path.join(import.meta.dirname, 'test.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--only=sever'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^--only=sever names no part: .*\bserver\b.*\n$/)])
})
