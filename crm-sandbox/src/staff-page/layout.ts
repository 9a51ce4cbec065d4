import type { Value } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { displayValue } from '../settings/choices.ts'
import { findField, getModule, type ModuleName } from '../settings/modules.ts'
import { ORG, STAFF_USER } from '../settings/people.ts'
import { showInstant } from '../wire/times.ts'
import { type Html, html, type Part } from './html.ts'

export type Page = {
  title: string
  section: 'leads' | 'deals' | 'partners' | 'bin'
  body: Part
  notice?: Notice | undefined
}

export type Notice = { kind: 'done' | 'problem'; text: string }

const SECTIONS = [
  { key: 'leads', label: 'Leads', href: '/' },
  { key: 'deals', label: 'Deals', href: '/deals' },
  { key: 'partners', label: 'Partners', href: '/partners' },
  { key: 'bin', label: 'Recycle bin', href: '/recycle-bin' },
]

export function layout(page: Page): Html {
  return html`<!doctype html>
<html lang="en-AU">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · ${ORG.company_name}</title>
<link rel="icon" href="/staff.svg" type="image/svg+xml">
<link rel="stylesheet" href="/staff.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
  <a class="brand" href="/"><img src="/staff.svg" alt="" width="28" height="28"><span>${ORG.company_name}<small>CRM sandbox</small></span></a>
  <nav aria-label="Main">${SECTIONS.map(
    (one) => html`<a href="${one.href}" ${one.key === page.section && html`aria-current="page"`}>${one.label}</a>`,
  )}</nav>
  <p class="who"><span class="avatar" aria-hidden="true">${initials(STAFF_USER.name)}</span><span>${STAFF_USER.name}<small>${STAFF_USER.role}</small></span></p>
</header>
<main id="main">
${page.notice?.kind === 'done' && html`<p class="notice" role="status">${page.notice.text}</p>`}
${page.notice?.kind === 'problem' && html`<p class="notice problem" role="alert">${page.notice.text}</p>`}
${page.body}
</main>
</body>
</html>`
}

export function showMoney(value: Value | undefined): string {
  if (typeof value !== 'number') return '—'
  const digits = Number.isInteger(value) ? 0 : 2
  return value.toLocaleString('en-AU', {
    style: 'currency',
    currency: 'AUD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** A time in the organisation's time zone, as its staff see it. */
export function showTime(sandbox: Sandbox, stored: string): Html {
  const shown = showInstant(stored, sandbox.behaviour().timesOffset)
  const [year = '', month = '', day = ''] = shown.slice(0, 10).split('-')
  return html`<time datetime="${shown}">${Number(day)} ${MONTHS[Number(month) - 1]} ${year}, ${shown.slice(11, 16)}</time>`
}

export function showDate(date: Value | undefined): string {
  if (typeof date !== 'string') return '—'
  const [year = '', month = '', day = ''] = date.split('-')
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A picklist's value as staff see it. */
export function showChoice(module: ModuleName, field: string, value: Value | undefined): string {
  if (typeof value !== 'string') return '—'
  return displayValue(findField(getModule(module), field)?.choices ?? [], value)
}

export function badge(text: string): Html {
  return html`<span class="badge ${tone(text)}">${text}</span>`
}

function tone(text: string): string {
  if (/^(junk|test|lost|not qualified|duplicate|unable|closed)/i.test(text)) return 'bad'
  if (/^(pre qualified|approved|funded)/i.test(text)) return 'good'
  if (/^(new lead|not contacted)/i.test(text)) return 'fresh'
  return text === '—' ? 'none' : 'busy'
}

function initials(name: string): string {
  return name
    .split(' ')
    .map((word) => word[0] ?? '')
    .join('')
}
