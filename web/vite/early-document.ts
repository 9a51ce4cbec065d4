import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'lightningcss'
import { build } from 'vite'
import { EARLY_CALLS, SESSION_CALL } from '../src/document/early-calls.ts'

const FOLDER = join(import.meta.dirname, '../src/document')
/** The pages' headings, each with the text below it, which are known before the page's code has loaded. */
const HEADINGS: Readonly<Record<string, readonly [title: string, text?: string]>> = {
  '/dashboard': ['Dashboard'],
  '/leads': ['Leads'],
  '/leads/new': ['New Lead', 'Fields marked * are required. The rest helps the lender to decide sooner.'],
  '/deals': ['Deals'],
  '/webhook': [
    'Webhook',
    'Send every event of your leads and deals to your server, and see these deliveries and your systems’ submissions.',
  ],
  '/api-keys': ['API Keys', 'Submit leads from your own systems, without anybody signing in.'],
  '/api-docs': ['API Docs', 'Submit leads from your own systems and receive updates on them.'],
  '/search': ['Search Results'],
  '/profile': ['Profile Settings', 'Your business, how we reach you, and your password.'],
}
/** The forms that the document shows to visitors. */
const FORMS: Readonly<Record<string, string>> = { '/login': 'sign-in', '/signup': 'sign-up' }

/** `web/src/document/start.ts` as one script without imports. */
export async function bundleStart(): Promise<string> {
  const bundled = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: ['chrome123', 'firefox124', 'safari17.5'],
      modulePreload: false,
      rolldownOptions: { input: join(FOLDER, 'start.ts'), output: { format: 'iife' } },
    },
  })
  if (!('output' in bundled)) throw new Error('start.ts made no script')
  return bundled.output[0].code.trim()
}

/** The document's list of the calls that its script begins. */
export function earlyCallsOf(path: string, isForPeople: boolean, apiBase: string): string {
  const calls = (EARLY_CALLS[path] ?? []).map((address) => apiBase + address).join(' ')
  return `<meta name="early-calls" content="${calls}"${isForPeople ? ` data-session="${apiBase}${SESSION_CALL}"` : ''} />`
}

/**
 * What the document shows until the app is drawn. A person who is signed in sees the frame of the page, and a visitor
 * sees the form for signing in on its page and the logo on other pages. Both are in the document, because only the
 * browser knows who looks.
 */
export function earlyPart(path: string, isForPeople: boolean): string {
  const logo = piece('logo')
  const [title = '', text = ''] = HEADINGS[path] ?? []
  const outline = piece(path === '/dashboard' ? 'dashboard' : 'rows')
  const shell = piece('shell')
    .replace('<!--title-->', title)
    .replace('<!--text-->', text && `<p class="mt-0.5 text-muted">${text}</p>`)
    .replace('<!--outline-->', outline)
  const early = (reader: string, html: string) => `<div data-early="${reader}">${html}</div>`
  if (isForPeople) return early('person', shell) + early('visitor', logo)
  const form = FORMS[path]
  return form ? early('person', logo) + early('visitor', piece(form)) : early('anybody', logo)
}

/** The rules of a style sheet that apply to `html`. Rules that name no class are among them. */
export function earlyStyle(sheet: string, html: string): string {
  const classes = new Set([...html.matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')))
  const { code } = transform({
    filename: 'early.css',
    code: Buffer.from(sheet),
    minify: true,
    visitor: {
      Rule: {
        style({ value: { selectors } }) {
          const isUsed = selectors.some((parts) =>
            parts.every((part) => part.type !== 'class' || classes.has(part.name)),
          )
          return isUsed ? undefined : []
        },
      },
    },
  })
  return String(code).trim()
}

function piece(name: string): string {
  const html = readFileSync(join(FOLDER, `${name}.html`), 'utf8').replaceAll(/\n\s*/g, '')
  return html.replaceAll(/<!--(mark|brand)-->/g, (_, inner: string) => piece(inner))
}
