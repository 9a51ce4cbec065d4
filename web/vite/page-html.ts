import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/**
 * Writes a copy of index.html for every path that has a page. The copy requests the files of this path's page at once.
 * Otherwise a first visit would request these files only after the router has run. `/leads/$loid` becomes
 * `leads/$loid.html`, which the server sends for this path.
 */
export function pageHtml(routesFile: string): Plugin {
  let root = ''
  return {
    name: 'page-html',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      root = config.root
    },
    async generateBundle(_options, bundle) {
      const index = bundle['index.html']
      if (index?.type !== 'asset') throw new Error('the build has no index.html')
      const html = String(index.source).replaceAll(/^ *<link rel="modulepreload".*\n/gm, '')
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      for (const { path, modules } of readPages(await readFile(join(root, routesFile), 'utf8'))) {
        const needed = ['app/main.tsx', ...modules].flatMap((module) => withImports(chunkOf(module, chunks), bundle))
        // The largest file takes the longest, so it is requested first: browsers fetch six files at a time.
        const links = [...new Set(needed)]
          .toSorted((one, other) => other.code.length - one.code.length)
          .map(({ fileName }) => fileName)
          .filter((file) => !html.includes(file))
          .map((file) => `    <link rel="modulepreload" crossorigin href="/${file}">\n`)
        const source = html.replace('  </head>', `${links.join('')}  </head>`)
        this.emitFile({ type: 'asset', fileName: `${path.slice(1)}.html`, source })
      }
    },
  }
}

interface Route {
  name?: string
  parent?: string
  path?: string
  module?: string
}

/**
 * The paths that have a page, each with the modules that draw it: the page's module and those of the routes around it.
 */
function readPages(routes: string): { path: string; modules: string[] }[] {
  const texts = routes.split('createRoute(')
  const all = texts.slice(1).map(
    (text, before): Route => ({
      name: /const (\w+) = $/.exec(texts[before] ?? '')?.[1],
      parent: /getParentRoute: \(\) => (\w+)/.exec(text)?.[1],
      path: /path: '([^']+)'/.exec(text)?.[1],
      module: /import\('(?:\.\.?\/)+([^']+)'\)/.exec(text)?.[1],
    }),
  )
  const around = (route: Route): Route[] => {
    const parent = all.find(({ name }) => name !== undefined && name === route.parent)
    return parent ? [...around(parent), parent, route] : [route]
  }
  return all.flatMap((route) => {
    if (route.path === undefined || route.module === undefined) return []
    return [{ path: route.path, modules: around(route).flatMap(({ module }) => module ?? []) }]
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
