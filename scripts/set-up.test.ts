import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

test('a program whose npm was killed says so and stops', async () => {
  const setUp = pathToFileURL(path.join(import.meta.dirname, 'set-up.mjs')).href
  const program = `import { stopWithParent } from ${JSON.stringify(setUp)}
    stopWithParent()
    console.log('running')
    setInterval(() => undefined, 1_000)`
  const npm = `require('node:child_process').spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(program)}], { stdio: 'inherit' })`
  const parent = spawn(process.execPath, ['-e', npm], { env: { ...process.env, npm_lifecycle_event: 'start' } })
  let said = ''
  for (const stream of [parent.stdout, parent.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('running')) parent.kill('SIGKILL')
    })
  }
  // The streams close when the program has ended too.
  await once(parent, 'close')
  expect(said).toContain('The process that started this one has ended, so this one stops.')
})
