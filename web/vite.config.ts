import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './vite/precompress.ts'
import { preloadFont } from './vite/preload-font.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), preloadFont(/inter-latin-wght-normal-.*\.woff2$/), precompress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // The first versions that know light-dark(), on which the themes stand.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Libraries change less often than our pages, so they keep their place in the browser's cache.
            { name: 'vendor', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\//, priority: 1 },
            // What most pages need comes in one piece: a dozen small files cost a slow phone more than their bytes.
            { name: 'shared', minShareCount: 10 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api/': process.env['VITE_API_PROXY'] ?? 'http://127.0.0.1:3000' } },
})
