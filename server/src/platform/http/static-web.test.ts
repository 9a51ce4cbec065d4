import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { SignUpMode } from '@portal/contract/sign-up-mode.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pngOf } from '../../testing/png.ts'
import type { Brand } from '../brand/brand.ts'
import { paletteOf } from '../brand/colour.ts'
import { createServer } from './server.ts'
import { staticWeb } from './static-web.ts'

let parent: string
let folder: string
let app: FastifyInstance
let isStarted = true
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'portal-web-'))
  // A folder above the build may also be called assets.
  folder = join(parent, 'assets', 'dist')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await mkdir(join(folder, 'leads'))
  for (const page of ['leads', 'leads/new', 'leads/$loid'])
    await writeFile(join(folder, `${page}.html`), `page of ${page}`)
  await writeFile(join(folder, 'index.html'), '<title>Partner Portal</title>')
  await writeFile(join(folder, 'login.html'), '<style>a{}</style><script>b()</script>')
  await writeFile(join(folder, 'favicon.svg'), '<svg/>')
  await writeFile(join(folder, 'assets/page-abc123.js'), 'export const page = 1')
  await writeFile(join(folder, 'assets/page-abc123.js.br'), 'packed')
  app = await serve('Partner Portal')
})
async function serve(
  name: string,
  brand: Omit<Brand, 'name'> = {},
  signUp: SignUpMode = 'open',
): Promise<FastifyInstance> {
  const server = await createServer(pino({ level: 'silent' }), {
    isSecure: false,
    requestTimeoutMs: 30_000,
    connectionsMax: 100,
    databaseMsMax: 8_000,
    isStopping: () => false,
    trustProxy: ['loopback'],
  })
  await staticWeb(server, { folder, isStarted: () => isStarted, brand: { name, ...brand }, signUp })
  return server
}
afterAll(async () => {
  await app.close()
  await rm(parent, { recursive: true })
})

test.each([
  ['GET', '/any/where'],
  ['HEAD', '/any/where'],
  ['GET', '/any/%E0%A4%A'],
] as const)('the call %s %s, which is outside the API, gets the app with a page’s headers', async (method, url) => {
  const page = await app.inject({ method, url })
  expect(page.statusCode).toBe(200)
  expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-frame-options': 'SAMEORIGIN' })
  expect(page.headers['content-security-policy']).toContain("default-src 'self'")
  expect(page.headers['content-security-policy']).toContain("require-trusted-types-for 'script'")
  expect(page.headers['x-request-id']).toBeTruthy()
})

test('a page has the headers that helmet gives it, and an answer of the API has its own', async () => {
  const [page, answer] = [await app.inject('/unknown'), await app.inject('/api/nothing')]
  const {
    date: _,
    'x-request-id': __,
    'content-length': ___,
    etag: ____,
    'last-modified': _____,
    ...headers
  } = page.headers
  expect(headers).toEqual({
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
    'content-security-policy':
      "default-src 'self';img-src 'self' data: blob:;object-src 'none';base-uri 'none';form-action 'self';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types 'none';script-src 'self';style-src 'self'",
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'SAMEORIGIN',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
  })
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  })
})

test('a page’s policy names its own script and style by their hashes, and allows no others', async () => {
  const { headers } = await app.inject('/login')
  const policy = headers['content-security-policy']
  const hash = (text: string) => createHash('sha256').update(text).digest('base64')
  expect(policy).toContain(`;script-src 'self' 'sha256-${hash('b()')}';style-src 'self' 'sha256-${hash('a{}')}'`)
  expect(policy).not.toContain('unsafe')
  await writeFile(join(folder, 'login.html'), '<style>a{}</style><script>c()</script>')
  expect((await app.inject('/login')).headers['content-security-policy']).not.toBe(policy)
})

test('a file of the build is compressed, is cached for good, and lacks the headers that only pages need', async () => {
  const file = await app.inject({ url: '/assets/page-abc123.js', headers: { 'accept-encoding': 'br' } })
  expect([file.statusCode, file.body]).toEqual([200, 'packed'])
  expect(file.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'x-content-type-options': 'nosniff',
  })
  expect(Object.keys(file.headers)).not.toContain('content-security-policy')
  expect(Object.keys(file.headers)).not.toContain('x-frame-options')
})

test('the icon may change with the next build', async () => {
  const { body, headers } = await app.inject('/favicon.svg')
  expect([body, headers['content-type'], headers['cache-control']]).toEqual(['<svg/>', 'image/svg+xml', 'no-cache'])
})

test.each(['/assets/gone-abc123.js', '/assets/%E0%A4%A.js', '/assets/x', '/assets/', '/assets/../assets/x'])(
  '%s, which the build lacks, is answered with 404 and a page’s headers',
  async (url) => {
    const answer = await app.inject(url)
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  },
)

test.each([
  ['/leads', 'leads'],
  ['/leads?page=2', 'leads'],
  ['/leads/', 'leads'],
  ['/leads/new', 'leads/new'],
  ['/leads/LO-00000000', 'leads/$loid'],
  ['/leads/LO-00000000?tab=notes', 'leads/$loid'],
  ['/leads/%E0%A4%A', 'leads/$loid'],
  ['/leads?search=%E0%A4%A', 'leads'],
])('%s gets the page that the build has for %s', async (url, page) => {
  const answer = await app.inject(url)
  expect([answer.statusCode, answer.body]).toEqual([200, `page of ${page}`])
})

test.each([
  '/',
  '/leads/new/more',
  '/leads/LO-00000000/more',
  '/unknown',
  '/leads//',
  '/any/%00',
  '/%',
  '/any/%E0%A4%A?a=%ZZ',
])('%s matches no page of the build and gets index.html', async (url) => {
  const answer = await app.inject(url)
  expect([answer.statusCode, answer.body]).toEqual([200, '<title>Partner Portal</title>'])
})

test("with the lender's name, every page has it in its title, without markup, and files stay as they are", async () => {
  const named = await serve("Smith & <$&>'s Partners")
  const title = '<title>Smith &#38; &#60;$&#38;&#62;&#39;s Partners</title>'
  for (const url of ['/', '/somewhere', '/unknown']) {
    const page = await named.inject(url)
    expect([page.statusCode, page.body]).toEqual([200, title])
    expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' })
    expect(page.headers['content-security-policy']).toContain("require-trusted-types-for 'script'")
  }
  expect((await named.inject('/leads/new')).body).toBe('page of leads/new')
  expect((await named.inject({ method: 'HEAD', url: '/' })).statusCode).toBe(200)
  expect((await named.inject('/assets/page-abc123.js')).body).toBe('export const page = 1')
  await named.close()
})

test('where the lender invites its partners, every page says so', async () => {
  const page = '<title>Partner Portal</title></head>'
  await writeFile(join(folder, 'invited.html'), page)
  const byInvitation = await serve('Partner Portal', {}, 'invite')
  expect((await byInvitation.inject('/invited')).body).toContain('<meta name="sign-up" content="invite"></head>')
  await byInvitation.close()
  expect((await app.inject('/invited')).body).not.toContain('sign-up')
})

test('with a logo and a colour, every page shows them, and their files are served', async () => {
  const head =
    '<link rel="icon" href="/favicon.svg" type="image/svg+xml"></head><svg class="boot-mark"></svg><svg class="boot-mark"></svg><span class="boot-name x">Partner Portal</span>'
  await writeFile(join(folder, 'branded.html'), head)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  const logo = { bytes: pngOf(60, 20, [200, 0, 0]), type: 'image/png', aspect: 3, isWide: true } as const
  const logoDark = { bytes: svg, type: 'image/svg+xml', aspect: 1, isWide: false } as const
  const branded = await serve('Acme', { logo, logoDark, palette: paletteOf('#e8590c') })
  const { body, headers } = await branded.inject('/branded')
  expect(body).toContain(
    '<meta name="brand-logo" content="wide" data-light="/brand/logo" data-dark="/brand/logo-dark">',
  )
  expect(body).toContain('<link rel="icon" href="/brand/logo" media="(prefers-color-scheme: light)">')
  expect(body).toMatch(/<style>html:root\{--mark:light-dark\(#e8590c,#[0-9a-f]{6}\);/)
  expect(headers['content-security-policy']).toMatch(/style-src 'self' 'sha256-[^' ]+'$/)
  expect(body).not.toMatch(/favicon|<svg|boot-name/)
  const packed = await branded.inject({ url: '/branded', headers: { 'accept-encoding': 'br' } })
  expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(body)
  const known = { url: '/branded', headers: { 'if-none-match': String(headers['etag']) } }
  expect((await branded.inject(known)).statusCode).toBe(304)
  const picture = await branded.inject('/brand/logo')
  expect([picture.headers['content-type'], picture.rawPayload]).toEqual(['image/png', logo.bytes])
  const again = { url: '/brand/logo', headers: { 'if-none-match': picture.headers['etag'] } }
  expect((await branded.inject(again)).statusCode).toBe(304)
  expect((await branded.inject('/brand/logo-dark')).headers['content-security-policy']).toMatch(/^default-src 'none'/)
  await branded.close()
})

test('until the start is complete, a page says that the portal is starting, and asks again by itself', async () => {
  isStarted = false
  const answer = await app.inject('/login')
  isStarted = true
  expect([answer.statusCode, answer.headers['refresh'], answer.body]).toEqual([
    503,
    '1',
    expect.stringContaining('The portal is starting'),
  ])
})
