import type { Plugin } from 'vite'

/** Loads the font together with the style sheet, so that the first text is already shown in this font. */
export function preloadFont(fileName: RegExp): Plugin {
  return {
    name: 'preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((name) => fileName.test(name))
        if (!font) throw new Error(`the build has no font that matches ${fileName}`)
        const attrs = {
          rel: 'preload',
          href: `/${font}`,
          as: 'font',
          type: 'font/woff2',
          crossorigin: '',
          fetchpriority: 'low',
        }
        return [{ tag: 'link', attrs, injectTo: 'head-prepend' }]
      },
    },
  }
}
