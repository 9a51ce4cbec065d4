import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { bundleStart, earlyCallsOf, earlyPart, earlyStyle } from './early-document.ts'

/**
 * Writes a copy of index.html for every path that has a page. The copy begins this page's calls, shows what is known of
 * the page, and requests the files of the page at once. Otherwise a first visit would do all this only after the router
 * has run. `/leads/$loid` becomes `leads/$loid.html`, which the server sends for this path. The first script and the
 * style of what the document shows are in it, because a slow phone would wait for each for a round trip. The whole style
 * sheet comes after that part, so it does not hold up the first paint, but the app waits for it.
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
      const sheet = sheetOf(bundle)
      const style = String(sheet.source)
      // A font that the sheet declares again would be used late, and the text would move.
      sheet.source = style.replaceAll(/@font-face\{[^}]*\}/g, '')
      const start = `<meta name="font" content="/${font}" />
    <style><!--style--></style>
    <script>${await bundleStart()}</script>`
      const html = String(index.source)
        .replaceAll(/^ *<link rel="(modulepreload|stylesheet)".*\n/gm, '')
        .replace('<!--start-->', () => start)
        .replace('<!--sheet-->', `<link rel="stylesheet" crossorigin href="/${sheet.fileName}" />`)
      const documentFor = (page: Pick<Document, 'path' | 'isForPeople'>) =>
        withEarlyPart(html, { ...page, apiBase, style })
      index.source = documentFor({ path: '/', isForPeople: true })
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      for (const { path, modules, isForPeople } of readPages(await readFile(join(root, routesFile), 'utf8'))) {
        const needed = ['app/main.tsx', ...modules].flatMap((module) => withImports(chunkOf(module, chunks), bundle))
        // The largest file takes the longest, so it is requested first: browsers fetch six files at a time.
        const links = [...new Set(needed)]
          .toSorted((one, other) => other.code.length - one.code.length)
          .map(({ fileName }) => fileName)
          .filter((file) => !html.includes(file))
          .map((file) => `    <link rel="modulepreload" crossorigin href="/${file}">\n`)
        const source = documentFor({ path, isForPeople }).replace('  </head>', `${links.join('')}  </head>`)
        this.emitFile({ type: 'asset', fileName: `${path.slice(1)}.html`, source })
      }
    },
  }
}

interface Document {
  path: string
  isForPeople: boolean
  apiBase: string
  style: string
}

function withEarlyPart(html: string, { path, isForPeople, apiBase, style }: Document): string {
  const part = earlyPart(path, isForPeople)
  return html
    .replace('<!--early-calls-->', earlyCallsOf(path, isForPeople, apiBase))
    .replace('<!--early-->', part)
    .replace('<!--style-->', () => earlyStyle(style, part))
}

/** The app's style sheet. */
function sheetOf(bundle: Rolldown.OutputBundle): Rolldown.OutputAsset {
  const sheets = Object.values(bundle).filter(({ fileName }) => fileName.endsWith('.css'))
  const [sheet] = sheets
  if (sheets.length !== 1 || sheet?.type !== 'asset')
    throw new Error('the build has more than one style sheet, or none')
  return sheet
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
