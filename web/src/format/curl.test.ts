import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlCommand, shellQuoted } from './curl.ts'

test.each([
  'plain',
  "it's O'Neil's",
  "'",
  "''",
  '$HOME `id` $(id) "x" \\ !! *',
  '{"a":"line\\n","b":"two\nlines"}',
  '<YOUR_API_KEY>',
  '@/etc/hostname',
])('a shell reads the quoted text %j back unchanged', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellQuoted(text)}`], { encoding: 'utf8' })).toBe(text)
})

test('a command has one line for the address, one for each header and one for the body', () => {
  const command = curlCommand({
    url: 'https://portal.example/api/webhook/lead',
    headers: ['Authorization: Bearer <YOUR_API_KEY>', 'Content-Type: application/json'],
    body: '{"business_name":"O\'Neil"}',
  })
  expect(command).toBe(
    [
      'curl -X POST https://portal.example/api/webhook/lead \\',
      "  -H 'Authorization: Bearer <YOUR_API_KEY>' \\",
      "  -H 'Content-Type: application/json' \\",
      String.raw`  --data-raw '{"business_name":"O'\''Neil"}'`,
    ].join('\n'),
  )
  expect(curlCommand({ url: 'https://a.example/?a=1&b=2', headers: [], body: null })).toBe(
    "curl -X POST 'https://a.example/?a=1&b=2'",
  )
})
