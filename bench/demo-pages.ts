import { BegunSession } from '../contract/src/accounts.ts'
import { listDeals } from '../contract/src/deals.ts'
import { listLeads } from '../contract/src/leads.ts'
import { DEMO_SIGN_IN } from '../server/src/features/accounts/demo-sign-in.ts'

export interface DemoPage {
  /** The path, with the name of a parameter in braces, as in `/leads/{loid}`. */
  name: string
  path: string
  isPublic: boolean
  /** A selector for the page's content; on a list, `rows` is the number of elements that it matches. */
  shows: string
  rows?: number
}

/** The pages to measure and photograph, and the demo partner's session. The portal must be ready. */
export async function findDemoPages(url: string): Promise<{ token: string; pages: DemoPage[] }> {
  const login = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(DEMO_SIGN_IN),
  })
  const { token } = BegunSession.parse(await login.json())
  const [leads, deals] = await Promise.all(
    ['leads', 'deals'].map((kind) => readData(`${url}/api/dashboard/${kind}`, token)),
  )
  // A lead and a deal in these states have a history to show.
  const lead = listLeads.answer.parse(leads).leads.find((one) => one.lead_status === 'Pre Qualified')
  const deal = listDeals.answer.parse(deals).deals.find((one) => one.stage === 'Funded')
  if (!lead || !deal) throw new Error('the demo lacks a lead or a deal')
  return { token, pages: [...PUBLIC_PAGES, ...partnerPages(lead.loid, deal.loid)] }
}

async function readData(url: string, token: string): Promise<unknown> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const body: unknown = await answer.json()
  return typeof body === 'object' && body && 'data' in body ? body.data : undefined
}

const PUBLIC_PAGES: DemoPage[] = [
  { name: '/login', path: '/login', isPublic: true, shows: 'form button[type=submit]' },
  { name: '/signup', path: '/signup', isPublic: true, shows: 'form button[type=submit]' },
  { name: '/forgot-password', path: '/forgot-password', isPublic: true, shows: 'form button[type=submit]' },
  { name: '/reset-password', path: '/reset-password?token=x', isPublic: true, shows: 'form button[type=submit]' },
  { name: '/verify-email', path: '/verify-email?token=x', isPublic: true, shows: 'h1' },
  { name: '/confirm-email', path: '/confirm-email?token=x', isPublic: true, shows: 'h1' },
  { name: '/undo-email', path: '/undo-email?token=x', isPublic: true, shows: 'h1' },
  { name: '/invite', path: '/invite?token=x', isPublic: true, shows: 'h1' },
  { name: '/disown', path: '/disown?token=x', isPublic: true, shows: 'h1' },
]

function partnerPages(leadLoid: string, dealLoid: string): DemoPage[] {
  const pages: Omit<DemoPage, 'isPublic'>[] = [
    { name: '/dashboard', path: '/dashboard', shows: 'main a[href^="/leads/LO-"]' },
    { name: '/leads', path: '/leads', shows: 'tbody tr', rows: 20 },
    { name: '/leads/import', path: '/leads/import', shows: 'input[type=file]' },
    { name: '/leads/new', path: '/leads/new', shows: 'form button[type=submit]' },
    { name: '/leads/{loid}', path: `/leads/${leadLoid}`, shows: 'main h2' },
    { name: '/deals', path: '/deals', shows: 'tbody tr', rows: 20 },
    { name: '/deals/{loid}', path: `/deals/${dealLoid}`, shows: 'main h2' },
    { name: '/payments', path: '/payments', shows: 'tbody tr' },
    { name: '/webhook', path: '/webhook', shows: 'main h2' },
    { name: '/search', path: '/search?q=transport', shows: 'tbody tr' },
    { name: '/api-docs', path: '/api-docs', shows: 'main h2' },
    { name: '/api-keys', path: '/api-keys', shows: 'main h2' },
    { name: '/team', path: '/team', shows: 'main select' },
    { name: '/security', path: '/security', shows: 'tbody tr' },
    { name: '/second-factor', path: '/second-factor', shows: 'main h2' },
    { name: '/profile', path: '/profile', shows: 'main form button[type=submit]' },
    { name: '/profile/security', path: '/profile/security', shows: 'main ul > li' },
    { name: '/profile/notifications', path: '/profile/notifications', shows: 'main table' },
  ]
  return pages.map((page) => ({ ...page, isPublic: false }))
}
