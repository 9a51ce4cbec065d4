import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

/**
 * In place of npm: takes a second to install Node, and fails if another npm is installing, as npm does. Installs only
 * when the lock names it, because it begins sooner than npm, and a start that is killed before that cannot name it.
 */
const NPM = `#!/bin/sh
until grep -qw $$ .cache/set-up.lock; do sleep 0.01; done
mkdir installing || exit 1
echo 'npm installs'
sleep 1
mkdir -p node_modules/node/bin
ln -sf '${process.execPath}' node_modules/node/bin/node
rmdir installing
`

test('a start after one that was killed while npm installed waits for that npm, and then installs', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'set-up-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['bin', 'scripts']) mkdirSync(path.join(root, folder))
  copyFileSync(path.join(import.meta.dirname, 'set-up.mjs'), path.join(root, 'scripts/set-up.mjs'))
  writeFileSync(path.join(root, 'package-lock.json'), '{}')
  writeFileSync(path.join(root, 'bin/npm'), NPM)
  chmodSync(path.join(root, 'bin/npm'), 0o755)
  const PATH = `${path.join(root, 'bin')}:${process.env['PATH']}`
  const env = { ...process.env, PATH, npm_lifecycle_event: undefined }
  const setUp = pathToFileURL(path.join(root, 'scripts/set-up.mjs')).href
  const program = `import { prepare } from ${JSON.stringify(setUp)}; await prepare('run')`
  const start = () => spawn(process.execPath, ['--input-type=module', '-e', program], { env })
  const killed = start()
  for await (const text of killed.stdout.setEncoding('utf8')) if (String(text).includes('npm installs')) break
  killed.kill('SIGKILL')
  expect(await once(start(), 'close')).toEqual([0, null])
})

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
