import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBalancer, startCaddy, startNginx, until } from '../trial/processes.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../deploy', file), 'utf8')

let folder: string
let upstreams: Server[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'balancers-'))
  // Each answers with what the portal would read.
  upstreams = await Promise.all([listen(), listen()])
})
afterAll(async () => {
  for (const one of upstreams) one.close()
  await rm(folder, { recursive: true, force: true })
})

const BALANCERS = [
  ['haproxy.cfg', '/usr/sbin/haproxy', startBalancer],
  ['nginx.conf', '/usr/sbin/nginx', startNginx],
  ['Caddyfile', '/usr/bin/caddy', startCaddy],
] as const

/** Not the address of the balancer, which the portal trusts. */
const CALLER = '127.0.0.2'
const FORGED: Record<string, string | string[]>[] = [
  {},
  { 'X-Forwarded-For': '203.0.113.6' },
  { 'x-forwarded-for': '203.0.113.6, 127.0.0.1' },
  { 'X-FORWARDED-FOR': ['203.0.113.6', '203.0.113.7'] },
  { 'X-Forwarded-For': '' },
  // Asks the balancer to drop the header on the way.
  { Connection: 'close, X-Forwarded-For' },
  { Connection: 'close, X-Forwarded-For', 'X-Forwarded-For': '203.0.113.6' },
]

for (const [file, program, start] of BALANCERS) {
  const missing = existsSync(program) ? '' : ` (not tried: there is no ${program})`
  test.skipIf(missing)(
    `${file}: the portal reads the caller's own address, whatever the caller forges${missing}`,
    async () => {
      const free = await listen()
      const port = portOf(free)
      free.close()
      await once(free, 'close')
      const running = start(folder, program, port, upstreams.map(portOf))
      try {
        await until(`${program} to answer`, async () => (await ask(port).catch(() => '')) === CALLER)
        for (const headers of FORGED) expect([headers, await ask(port, headers)]).toEqual([headers, CALLER])
      } finally {
        await running.kill('SIGTERM')
      }
    },
  )
}

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

async function listen(): Promise<Server> {
  const server = createServer(({ headersDistinct }, answer) =>
    answer.end((headersDistinct['x-forwarded-for'] ?? []).join(' and ')),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- a server that listens has an address
  return (server.address() as AddressInfo).port
}

/** What the portal would read as X-Forwarded-For. */
function ask(port: number, headers = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const settings = { agent: false, host: '127.0.0.1', port, localAddress: CALLER, headers }
    request(settings, (answer) => resolve(readText(answer.setEncoding('utf8'))))
      .on('error', reject)
      .end()
  })
}

test('systemd instances have ports of their own, which Prometheus reads', () => {
  expect(read('partner-portal@.service')).toContain('EnvironmentFile=/srv/partner-portal/deploy/%i.env')
  const [web, worker] = ['web.env', 'worker.env'].map((file) => read(file).match(/\d+/g) ?? [])
  expect(new Set([...(web ?? []), ...(worker ?? [])]).size).toBe(4)
  for (const port of [web?.[1], worker?.[1]]) expect(read('prometheus.yml')).toContain(`127.0.0.1:${port}`)
})

test('balancers refuse a worker and follow names, everything in compose starts again, and no secret is committed or copied', () => {
  for (const file of ['haproxy.cfg', 'Caddyfile']) expect(read(file)).toContain('/api/ready?for=pages')
  expect(read('haproxy.cfg')).toMatch(/default-server .* resolvers names init-addr last,libc,none$/m)
  const services =
    read('compose.yaml')
      .split(/^(?:services|networks):$/m)[1]
      ?.split(/^ {2}(?=\S+:)/m)
      .slice(1) ?? []
  expect(services.length).toBe(6)
  for (const service of services) expect(service).toMatch(/restart: |<<: \*portal|\*web/)
  for (const ignored of ['.gitignore', '.dockerignore']) {
    const lines = readFileSync(join(import.meta.dirname, '..', ignored), 'utf8').split('\n')
    expect(lines).toEqual(expect.arrayContaining(['deploy/portal.env', 'deploy/database-password.txt']))
  }
})

test('each package of the lock file has a checksum, and comes from the public registry or from the one that npm is told of', () => {
  const lock: { packages: Record<string, { link?: true; integrity?: string; resolved?: string }> } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'),
  )
  const packages = Object.entries(lock.packages).filter(([place, { link }]) => place.includes('node_modules/') && !link)
  expect(packages.length).toBeGreaterThan(500)
  const faulty = packages.filter(
    ([, { integrity, resolved = 'https://registry.npmjs.org/' }]) =>
      !integrity?.startsWith('sha512-') || !resolved.startsWith('https://registry.npmjs.org/'),
  )
  expect(faulty.map(([place]) => place)).toEqual([])
})

const analyze = '/usr/bin/systemd-analyze'
test.skipIf(!existsSync(analyze))('systemd reads the unit without a complaint', async () => {
  const unit = join(folder, 'partner-portal@web.service')
  // systemd wants to find what it starts, and reads a blank as the end of a path.
  symlinkSync(join(import.meta.dirname, '..'), join(folder, 'portal'))
  writeFileSync(unit, read('partner-portal@.service').replaceAll('/srv/partner-portal', join(folder, 'portal')))
  const said = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' })
  expect(`${said.stdout}${said.stderr}`).not.toContain('partner-portal@')
})
