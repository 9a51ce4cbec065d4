import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../deploy', file), 'utf8')

test.each([
  ['haproxy.cfg', /^ +http-request del-header X-Forwarded-For$/m],
  ['nginx.conf', /proxy_set_header X-Forwarded-For \$remote_addr;/],
  ['Caddyfile', /header_up X-Forwarded-For \{remote_host\}/],
])('%s drops the X-Forwarded-For that a caller sent', (file, line) => {
  expect(read(file)).toMatch(line)
  expect(read(file)).not.toContain('$proxy_add_x_forwarded_for')
})

test('compose.yaml trusts one fixed address, that of the balancer', () => {
  const trusted = /TRUST_PROXY: "([^"]+)"/.exec(read('compose.yaml'))?.[1]
  expect(trusted).toMatch(/^[\d.]+$/)
  expect(read('compose.yaml')).toContain(`ipv4_address: ${trusted}`)
})
