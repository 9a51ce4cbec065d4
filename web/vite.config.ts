import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fonts } from './vite/fonts.ts'
import { pageHtml } from './vite/page-html.ts'
import { precompress } from './vite/precompress.ts'
import { preloadFont } from './vite/preload-font.ts'

/** Nothing that a signed-out page needs, which would load all of it. */
const PARTS_OF_SIGNED_IN_PAGES =
  /lucide-react|\/(web\/src\/(ui\/(?!brand|theme|spinner)|format\/|api\/page-start|features\/(inbox|sync|leads|deals|notes)\/)|contract\/src\/)/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    tailwindcss(),
    fonts(),
    preloadFont(/latin-(?!ext).*\.woff2$/),
    pageHtml('src/app/routes.tsx'),
    precompress(),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // Every browser of the target knows it.
    modulePreload: { polyfill: false },
    // The page's policy allows files, not data.
    assetsInlineLimit: 0,
    // The first versions that know light-dark(), on which the themes stand.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Libraries change less often than our pages, so they keep their place in the browser's cache.
            { name: 'vendor', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\//, priority: 2 },
            // What several pages need comes in one piece: a dozen small files cost a slow phone more than their bytes.
            { name: 'main', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 10 },
            // The sign-up page's key too, which would bring all of the signed-in pages along.
            { name: 'accounts', test: /features\/accounts\/|api\/idempotency-key/, minShareCount: 3 },
            { name: 'signed-in', test: PARTS_OF_SIGNED_IN_PAGES, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api/': process.env['VITE_API_PROXY'] ?? 'http://127.0.0.1:3000' } },
})
