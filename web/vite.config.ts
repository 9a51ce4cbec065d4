import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fonts } from './vite/fonts.ts'
import { leanContract } from './vite/lean-contract.ts'
import { pageHtml } from './vite/page-html.ts'
import { precompress } from './vite/precompress.ts'

/** The libraries of all pages. Few pages have lists that grow. */
const OF_VENDORS = /node_modules\/(react|react-dom|scheduler|@tanstack)\/(?!.*[iI]nfiniteQuery(Observer|Options|\.))/

/** What forms before and after sign-in have in common. */
const OF_WORDS = /contract\/src\/(access|choices|clean-text)\./

/** All code except what the pages for signing in do not need, and what they alone need. */
const NOT_OF_SIGNED_IN =
  /^(?!.*(contract\/src\/|features\/accounts\/|session\/may|format\/dates|ui\/(badge|card|description-list|dialog|empty-state|page-header|relative-time|skeleton)\.))/
/** The sign-up and sign-in pages need no date, but some links in mails open a page that does. */
const OF_TIMES = /web\/src\/(format\/dates|ui\/(badge|relative-time))\./
const OF_ACCOUNTS =
  /(features\/accounts\/(account-frame|failure-mapping|use-redirect-after|is-by-invitation)|session\/begin-session|contract\/src\/sign-up-mode)\./
/** The sign-in page shows its button for passkeys after the form. */
const OF_PASSKEYS = /second-factor\/device-passkeys|contract\/src\/second-factor\.|icons\/fingerprint-pattern\./
/** The code that most signed-in pages need, except code for tables and for examples. */
const OF_MOST_PAGES =
  /\/(web\/src\/(app\/search-params|ui\/(?!brand|theme|spinner|table|cells|code-)|format\/|session\/|features\/(?!accounts|sync))|contract\/src\/)/
/** Small parts that few pages need. A file for each would take a slow phone longer than their code. */
const OF_PARTS =
  /lucide-react|contract\/src\/(attention|deals|payments|search)\.|web\/src\/(ui\/(after-paint|single-keys|segmented|resting-rows|export-button)|session\/sign-out|format\/percent|features\/payments\/payment-badge|features\/payments\/payments\.queries)/
const OF_LISTS =
  /web\/src\/(ui\/(table|cells|density|followed-rows|new-rows|sort|list-search|pagination|filter-panel)|features\/(team\/submitter|referral\/record-columns))/
const OF_RECORDS = /web\/src\/(ui\/(changing|folding|timeline)|features\/(notes|referral|inbox\/use-opened))/
/** What the dashboard or a list shows of a record, too. */
const OF_REFERRALS =
  /web\/src\/(features\/referral\/(turn-|state-badge|choice-chips|verdict|manager|crm-mark)|format\/usual-time)/
const OF_CODE = /web\/src\/(ui\/(code-|secret|icon-list)|format\/curl)/

/** These parts of the contract are imported by those that the first file needs, for schemas that it does not have. */
const NOT_OF_FIRST = /^(?!.*contract\/src\/(access|agreement|announcement|holds)\.ts)/

/** Entries are checked with schemas. Pages that only show something need none. */
const OF_CHECKS =
  /node_modules\/zod\/|contract\/src\/((account|note|invitation)-forms?|role-field|dates|own-names|text)\.ts/
const OF_LEAD_CHECKS = /contract\/src\/(lead-form|(lead|money|record)-fields?)\.ts/

/** What long forms have in common. */
const OF_FORMS =
  /node_modules\/(react-hook-form|@hookform)\/|ui\/(first-error|form-section|soft-warning)\.|accounts\/(field-errors|changed-values|failure-texts|new-password)/

/** The list of leads shows leads, but has no form for them. */
const OF_LEAD_FORMS = /features\/leads\/(new-lead-|phone-|money-|duplicate-|soft-)/

function groupOfFeature(id: string): string | null {
  return OF_LEAD_FORMS.test(id) ? 'lead-form' : (/features\/(?!accounts)(\w+)/.exec(id)?.[1] ?? null)
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react({ jsxImportSource: '#jsx' }),
    tailwindcss(),
    leanContract(),
    fonts(),
    pageHtml('src/app/routes.tsx'),
    precompress(),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // Every target browser supports module preloading.
    modulePreload: { polyfill: false },
    // The page's content security policy allows data URLs for images only.
    assetsInlineLimit: 0,
    // The document requests the one style sheet. It would have to name each part of a split one.
    cssCodeSplit: false,
    // The first versions that support light-dark(), for the themes, and AbortSignal.any, for calls to the server.
    target: ['chrome123', 'firefox124', 'safari17.5'],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Libraries change less often than our pages, so a separate file for them stays in the browser's cache.
            { name: 'vendor', test: OF_VENDORS, priority: 2 },
            // These two must not take the imports of their files, which pages without forms need too.
            { name: 'schemas', test: OF_CHECKS, priority: 2, includeDependenciesRecursively: false },
            { name: 'lead-schemas', test: OF_LEAD_CHECKS, priority: 2, includeDependenciesRecursively: false },
            // Code that several pages need is in one file, because a slow phone takes longer for a dozen small files
            // than for one file with the same code. Code that few pages need loads with those pages only. Each group
            // also takes the imports of its files, so the order of the groups matters.
            {
              name: 'main',
              tags: ['$initial'],
              test: NOT_OF_FIRST,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            // Neither the sign-in page nor a list has a long form.
            { name: 'forms', test: OF_FORMS, minShareCount: 2, includeDependenciesRecursively: false },
            { name: 'words', test: OF_WORDS, minShareCount: 2 },
            { name: 'shared', test: NOT_OF_SIGNED_IN, minShareCount: 10 },
            { name: 'times', test: OF_TIMES, minShareCount: 10 },
            { name: 'accounts', test: OF_ACCOUNTS, minShareCount: 2, includeDependenciesRecursively: false },
            { name: 'passkeys', test: OF_PASSKEYS, minShareCount: 2, includeDependenciesRecursively: false },
            // The sign-up page needs this code too. In a larger group it would make the page load the whole group.
            { name: 'idempotency-key', test: /idempotency-key/ },
            { name: 'signed-in', test: OF_MOST_PAGES, minShareCount: 4 },
            { name: 'parts', test: OF_PARTS, minShareCount: 2 },
            { name: 'lists', test: OF_LISTS, minShareCount: 2 },
            { name: 'referral', test: OF_REFERRALS, minShareCount: 2 },
            { name: 'records', test: OF_RECORDS, minShareCount: 2 },
            { name: 'code', test: OF_CODE, minShareCount: 2 },
            { name: groupOfFeature, minShareCount: 2, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api/': process.env['VITE_API_PROXY'] ?? 'http://127.0.0.1:3000' } },
})
