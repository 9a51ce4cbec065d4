import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import fastifyStatic from '@fastify/static'
import { DEFAULT_BRAND_NAME } from '@portal/contract/brand.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Brand, LOGO_DARK_PATH, LOGO_PATH } from '../brand/brand.ts'
import { NotFound } from '../errors.ts'
import { type Branding, brandedPage, isAsBuilt } from './branded-page.ts'
import { inlinePolicy } from './document-policy.ts'
import { isApi } from './server.ts'

export const WEB_FOLDER = join(import.meta.dirname, '../../../../web/dist')

/**
 * Serves the built web app. Every address outside the API that does not look like a file belongs to the app, because
 * the routing happens in the browser (D8). The build has a copy of the app's page for each route, such as
 * `leads/$loid.html` for `/leads/LO-…`. The copies differ in the files and calls that they begin and in what they show
 * until the app is there. If the settings change the pages, for example with the lender's name (D115), each copy is kept
 * in memory with the change.
 */
export async function staticWeb(
  app: FastifyInstance,
  { folder, isStarted, ...branding }: { folder: string; isStarted: () => boolean } & Branding,
): Promise<void> {
  const isOwn = isAsBuilt(branding)
  const policyOf = policiesOfFiles()
  const isBuilt = existsSync(join(folder, 'index.html'))
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      preCompressed: true,
      cacheControl: false,
      setHeaders(response, file, { mtimeMs }) {
        // File names under assets/ contain a hash of the content. All other files can change with the next build.
        const isHashed = relative(folder, file).startsWith('assets/')
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        const page = file.replace(/\.(?:br|gz)$/, '')
        if (page.endsWith('.html')) allowInline(response, policyOf(page, mtimeMs))
        if (isHashed) for (const name of PAGE_HEADERS) response.removeHeader(name)
      },
    })
    app.get('/favicon.svg', (_, reply) => reply.sendFile('favicon.svg', folder))
  }
  serveBrand(app, branding.brand)
  // A page would work before the start is complete, but could show half of the demo's data.
  app.addHook('onRequest', async (request, reply) => {
    if (isStarted() || isApi(request.url) || /\.\w+$/.test(path(request.url))) return undefined
    return reply
      .code(503)
      .headers({ 'retry-after': '1', refresh: '1' })
      .type('text/html; charset=utf-8')
      .send(brandedPage(STARTING, branding))
  })
  // Sorted backwards, so that `leads/new.html` comes before `leads/$loid.html`, which also matches `/leads/new`.
  const files = globSync('**/*.html', { cwd: folder }).toSorted().toReversed()
  const pages = files.map((file) => ({ file, addresses: addressesOf(file) }))
  const branded = new Map(
    isOwn ? [] : files.map((file) => [file, keptPage(brandedPage(readFileSync(join(folder, file), 'utf8'), branding))]),
  )
  app.setNotFoundHandler(async (request, reply) => {
    const isFile = /^\/assets\/|\.\w+$/.test(path(request.url))
    const isPage = ['GET', 'HEAD'].includes(request.method) && !isApi(request.url) && !isFile
    if (!isPage || !isBuilt) throw new NotFound('There is no such address in this API')
    const file = pages.find(({ addresses }) => addresses.test(path(request.url)))?.file ?? 'index.html'
    const page = branded.get(file)
    if (!page) return reply.sendFile(file, folder)
    allowInline(reply, page.policy)
    reply.headers({ 'cache-control': 'no-cache', etag: page.etag, vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === page.etag) return reply.code(304).send()
    reply.type('text/html; charset=utf-8')
    if (!negotiate(request.headers['accept-encoding'] ?? '', ['br'])) return reply.send(page.html)
    return reply.header('content-encoding', 'br').send(await page.pack())
  })
}

/** Returns the part of a page's policy that is about this page. A later build of the page has another one. */
function policiesOfFiles(): (file: string, mtimeMs: number) => string {
  const known = new Map<string, { mtimeMs: number; policy: string }>()
  return (file, mtimeMs) => {
    const before = known.get(file)
    if (before?.mtimeMs === mtimeMs) return before.policy
    const policy = inlinePolicy(readFileSync(file, 'utf8'))
    known.set(file, { mtimeMs, policy })
    return policy
  }
}

/** A page that is kept in memory. It is compressed when somebody first asks for it. */
function keptPage(html: string) {
  let packed: Promise<Buffer> | undefined
  return {
    html,
    policy: inlinePolicy(html),
    etag: `"${createHash('sha256').update(html).digest('base64url')}"`,
    pack: () => (packed ??= promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })),
  }
}

function allowInline(reply: FastifyReply, policy: string): void {
  const general = reply.getHeader(POLICY)
  reply.header(POLICY, `${String(general)};${policy}`)
}

function serveBrand(app: FastifyInstance, { logo, logoDark }: Brand): void {
  const files = [
    { url: LOGO_PATH, type: logo?.type, content: logo?.bytes },
    { url: LOGO_DARK_PATH, type: logoDark?.type, content: logoDark?.bytes },
  ]
  for (const { url, type, content } of files) {
    if (!type || !content) continue
    const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
    app.get(url, async (request, reply) => {
      // A logo that is opened by itself runs nothing and loads nothing.
      reply.headers({
        etag,
        'cache-control': 'no-cache',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type(type).send(content)
    })
  }
}

const POLICY = 'content-security-policy'

const STARTING = `<!doctype html><html lang="en"><title>${DEFAULT_BRAND_NAME}</title><p>The portal is starting …`

/**
 * Helmet's headers for pages mean nothing for the files that a page loads, and would be a tenth of the bytes that a
 * first visit transfers.
 */
const PAGE_HEADERS = [
  POLICY,
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]

/** A `$name` in the file's name stands for any one part of an address. */
function addressesOf(file: string): RegExp {
  return new RegExp(`^/${file.replace(/\.html$/, '').replaceAll(/\$\w+/g, '[^/]+')}/?$`)
}

function path(url: string): string {
  return url.split('?', 1)[0] ?? ''
}
