// The document contains this script, which runs before the first paint and long before a slow phone has the app's code.
// The server's policy names it by its hash.
import type { EarlyCalls } from '../api/early-calls.ts'
import { beginForm } from './early-form.ts'

const CALL_MS_MAX = 30_000
/** If the server answered the document this soon, the font comes in time for the first text. */
const QUICK_MS_MAX = 100
const root = document.documentElement

let token: string | null = null
try {
  token = localStorage.getItem('auth_token')
  // The page never flashes in the colours of the other theme.
  const theme = localStorage.getItem('portal-theme')
  if (theme === 'light' || theme === 'dark') root.dataset['theme'] = theme
  if (isQuick() || localStorage.getItem('portal-font') !== null) preloadFont()
} catch {
  // Without storage the system's preference applies, and nobody is signed in.
}
if (token !== null) root.dataset['signedIn'] = ''
// The document of the page that opens next names this page's files and calls, which this document does not know.
if (location.pathname === '/') location.replace(token === null ? '/login' : '/dashboard')
window.earlyCalls = beginCalls(token)
beginForm()
reloadWithoutFiles()

function isQuick(): boolean {
  const [visit] = performance.getEntriesByType('navigation')
  return visit instanceof PerformanceNavigationTiming && visit.responseStart - visit.requestStart < QUICK_MS_MAX
}

/** The preload makes the first paint wait for the font for a moment. Otherwise the text would move when it arrives. */
function preloadFont() {
  const link = document.createElement('link')
  link.rel = 'preload'
  link.as = 'font'
  link.type = 'font/woff2'
  link.crossOrigin = ''
  link.href = document.querySelector<HTMLMetaElement>('meta[name=font]')?.content ?? ''
  document.head.append(link)
  root.dataset['font'] = ''
}

/** Begins the calls of the page. The app takes their answers (`web/src/api/early-calls.ts`). */
function beginCalls(token: string | null): EarlyCalls {
  const { content = '', dataset } = document.querySelector<HTMLMetaElement>('meta[name=early-calls]') ?? {}
  const session = dataset?.['session']
  const answers: EarlyCalls['answers'] = new Map()
  if ((session !== undefined) !== (token !== null)) return { token, answers }

  function begin(method: string, address: string, body: string | null) {
    const answer = fetch(address, {
      method,
      body,
      headers: {
        accept: 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== null && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(CALL_MS_MAX),
    })
    answer.catch(() => undefined)
    answers.set(`${method} ${address}`, answer)
  }

  const id = location.pathname.split('/')[2] ?? ''
  for (const address of content.split(' ')) {
    const isSure = !(address.includes('?') && location.search) && (!address.includes(':id') || /^[\w-]+$/.test(id))
    if (address && isSure) begin('GET', address.replace(':id', id), null)
  }
  if (session !== undefined) begin('POST', session, JSON.stringify({ token }))
  return { token, answers }
}

/**
 * If the app's script or style sheet does not arrive, the app cannot help itself. The connection may be broken, or
 * another process may have answered, with another version of the portal. A new document solves both problems, as soon as
 * the portal answers. A file that is requested later is not of this kind: the app's own pages handle its failure.
 */
function reloadWithoutFiles() {
  let isWaiting = false
  addEventListener(
    'error',
    ({ target }) => {
      const isNeeded =
        target instanceof Element && target.matches('head > script[src^="/assets/"], body > link[href^="/assets/"]')
      if (!isNeeded || isWaiting || !document.querySelector('#root > [data-early]')) return
      isWaiting = true
      reloadSoon()
    },
    true,
  )
}

function reloadSoon() {
  setTimeout(() => void reloadIfAnswered(), 2_000)
}

async function reloadIfAnswered() {
  try {
    const { ok } = await fetch(location.href, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(5_000) })
    if (ok) location.reload()
    else reloadSoon()
  } catch {
    reloadSoon()
  }
}
