import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import fastifyStatic from '@fastify/static'
import { DEFAULT_BRAND_NAME } from '@portal/contract/brand.ts'
import type { FastifyInstance } from 'fastify'
import { type Brand, COLOURS_PATH, coloursOf, LOGO_DARK_PATH, LOGO_PATH } from '../brand/brand.ts'
import { NotFound } from '../errors.ts'
import { type Branding, brandedPage, isAsBuilt } from './branded-page.ts'
import { isApi } from './server.ts'

export const WEB_FOLDER = join(import.meta.dirname, '../../../../web/dist')

/**
 * Serves the built web app. Every address outside the API that does not look like a file belongs to the app, because
 * the routing happens in the browser (D8). The build has a copy of the app's page for each route, such as
 * `leads/$loid.html` for `/leads/LO-…`. The copies differ in the files that they preload. If the settings change the
 * pages, for example with the lender's name (D115), each copy is kept in memory with the change.
 */
export async function staticWeb(
  app: FastifyInstance,
  { folder, isStarted, ...branding }: { folder: string; isStarted: () => boolean } & Branding,
): Promise<void> {
  const isOwn = isAsBuilt(branding)
  const isBuilt = existsSync(join(folder, 'index.html'))
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: folder,
      preCompressed: true,
      // Serves only the files of the build. A wildcard would refuse some pages (`/leads//`) before they are recognised
      // as pages.
      wildcard: false,
      ...(!isOwn && { globIgnore: ['**/*.html'] }),
      cacheControl: false,
      setHeaders(response, file) {
        // File names under assets/ contain a hash of the content. All other files can change with the next build.
        const isHashed = relative(folder, file).startsWith('assets/')
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        if (isHashed) for (const name of PAGE_HEADERS) response.removeHeader(name)
      },
    })
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
  const namedPages = new Map(
    isOwn ? [] : files.map((file) => [file, brandedPage(readFileSync(join(folder, file), 'utf8'), branding)]),
  )
  app.setNotFoundHandler(async (request, reply) => {
    const isFile = /^\/assets\/|\.\w+$/.test(path(request.url))
    const isPage = ['GET', 'HEAD'].includes(request.method) && !isApi(request.url) && !isFile
    if (!isPage || !isBuilt) throw new NotFound('There is no such address in this API')
    const file = pages.find(({ addresses }) => addresses.test(path(request.url)))?.file ?? 'index.html'
    const html = namedPages.get(file)
    if (html === undefined) return reply.sendFile(file)
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(html)
  })
}

function serveBrand(app: FastifyInstance, { logo, logoDark, palette }: Brand): void {
  const files = [
    { url: LOGO_PATH, type: logo?.type, content: logo?.bytes },
    { url: LOGO_DARK_PATH, type: logoDark?.type, content: logoDark?.bytes },
    { url: COLOURS_PATH, type: 'text/css; charset=utf-8', content: palette && Buffer.from(coloursOf(palette)) },
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

const STARTING = `<!doctype html><html lang="en"><title>${DEFAULT_BRAND_NAME}</title><p>The portal is starting …`

/**
 * Helmet's headers for pages mean nothing for the files that a page loads, and would be a tenth of the bytes that a
 * first visit transfers.
 */
const PAGE_HEADERS = [
  'content-security-policy',
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
