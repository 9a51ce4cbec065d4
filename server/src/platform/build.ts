import manifest from '../../package.json' with { type: 'json' }

declare const BUILD_COMMIT: string | undefined

/** What runs: the version of the product, and the commit if `npm run build` knew it. */
export const BUILD = {
  version: manifest.version,
  commit: typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : null,
}
