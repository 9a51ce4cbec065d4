import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { bundleStart, earlyCallsOf, earlyPart } from './early-document.ts'

/**
 * Writes a copy of index.html for every path that has a page. The copy begins this page's calls, shows what is known of
 * the page, and requests the files of the page at once. Otherwise a first visit would do all this only after the router
 * has run. `/leads/$loid` becomes `leads/$loid.html`, which the server sends for this path. Style and first script are
 * in the document, because a slow phone would wait for each for a round trip.
 */
export function pageHtml(routesFile: string): Plugin {
  let root = ''
  let apiBase = ''
  return {
    name: 'page-html',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      root = config.root
      apiBase = config.env['VITE_API_BASE'] ?? '/api'
    },
    async generateBundle(_options, bundle) {
      const index = bundle['index.html']
      if (index?.type !== 'asset') throw new Error('the build has no index.html')
      const font = Object.keys(bundle).find((name) => /latin-(?!ext).*\.woff2$/.test(name))
      if (!font) throw new Error('the build has no font')
      const start = `<meta name="font" content="/${font}" />
    <style>${takeStyle(bundle)}</style>
    <script>${await bundleStart()}</script>`
      const html = String(index.source)
        .replaceAll(/^ *<link rel="(modulepreload|stylesheet)".*\n/gm, '')
        .replace('<!--start-->', () => start)
      index.source = withEarlyPart(html, { path: '/', isForPeople: true, apiBase })
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      for (const { path, modules, isForPeople } of readPages(await readFile(join(root, routesFile), 'utf8'))) {
        const needed = ['app/main.tsx', ...modules].flatMap((module) => withImports(chunkOf(module, chunks), bundle))
        // The largest file takes the longest, so it is requested first: browsers fetch six files at a time.
        const links = [...new Set(needed)]
          .toSorted((one, other) => other.code.length - one.code.length)
          .map(({ fileName }) => fileName)
          .filter((file) => !html.includes(file))
          .map((file) => `    <link rel="modulepreload" crossorigin href="/${file}">\n`)
        const source = withEarlyPart(html, { path, isForPeople, apiBase }).replace(
          '  </head>',
          `${links.join('')}  </head>`,
        )
        this.emitFile({ type: 'asset', fileName: `${path.slice(1)}.html`, source })
      }
    },
  }
}

interface Document {
  path: string
  isForPeople: boolean
  apiBase: string
}

function withEarlyPart(html: string, { path, isForPeople, apiBase }: Document): string {
  return html
    .replace('<!--early-calls-->', earlyCallsOf(path, isForPeople, apiBase))
    .replace('<!--early-->', earlyPart(path, isForPeople))
}

/** Removes the app's style sheet from the build and returns its text. */
function takeStyle(bundle: Rolldown.OutputBundle): string {
  const sheets = Object.values(bundle).filter(({ fileName }) => fileName.endsWith('.css'))
  const [sheet] = sheets
  if (sheets.length !== 1 || sheet?.type !== 'asset')
    throw new Error('the build has more than one style sheet, or none')
  delete bundle[sheet.fileName]
  return String(sheet.source).trim()
}

/**
 * The paths that have a page, each with the modules that draw it: the page's module and those of the routes around it.
 * `isForPeople` says that the page has the layout of people who are signed in.
 */
function readPages(routes: string): { path: string; modules: string[]; isForPeople: boolean }[] {
  const [frame, ...pages] = routes.matchAll(/(?:'(\/[^']*)': (\w+)\([^']*|)import\('(?:\.\.?\/)+([^']+)'\)/g)
  return pages.map(([, path = '', kind, module = '']) => {
    const isForPeople = kind === 'signedIn'
    return { path, modules: isForPeople ? [frame?.[3] ?? '', module] : [module], isForPeople }
  })
}

function chunkOf(module: string, chunks: Rolldown.OutputChunk[]): Rolldown.OutputChunk {
  const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${module}`)))
  if (!chunk) throw new Error(`the build has no chunk with ${module}`)
  return chunk
}

/** A chunk and all chunks that must load before it can run. */
function withImports(chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const needed = chunk.imports.flatMap((file) => {
    const output = bundle[file]
    return output?.type === 'chunk' ? withImports(output, bundle) : []
  })
  return [...needed, chunk]
}
