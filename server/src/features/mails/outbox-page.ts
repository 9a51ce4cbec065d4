import * as z from 'zod/mini'
import { escapeHtml } from '../../platform/mail/escape-html.ts'
import type { OutboxMail } from './outbox.ts'

/** Which part of a mail the page shows, and how wide. The page's address contains both choices. */
export const OutboxView = z.object({
  view: z.catch(z.enum(['html', 'text', 'headers']), 'html'),
  width: z.catch(z.enum(['390', '700', 'full']), '700'),
})
type View = z.infer<typeof OutboxView>

export const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

/** Renders the outbox as a page without scripts. */
export function outboxPage(mails: readonly OutboxMail[], shown: OutboxMail | undefined, view: View): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shown ? `${escapeHtml(shown.subject)} – Outbox` : 'Outbox'}</title>
<style>${STYLE}</style>
</head>
<body>
${shown ? '<a class="skip" href="#mail">Skip to the mail</a>' : ''}
<nav aria-label="Mails">
<h1>Outbox</h1>
<p class="muted">Without a mail server, emails stay here. The newest email comes first.</p>
${mails.length === 0 ? '<p>No email has been written yet.</p>' : `<ol>${mails.map((mail) => listItem(mail, shown, view)).join('')}</ol>`}
</nav>
<main id="mail" tabindex="-1">${shown ? mailOf(shown, view) : ''}</main>
</body>
</html>`
}

function listItem(mail: OutboxMail, shown: OutboxMail | undefined, view: View): string {
  const current = mail.id === shown?.id ? ' aria-current="page"' : ''
  return `<li><a href="${addressOf(mail, view)}"${current}><strong>${escapeHtml(mail.subject)}</strong><span>${escapeHtml(mail.to)}</span><time>${escapeHtml(timeOf(mail))}</time></a></li>`
}

function mailOf(mail: OutboxMail, view: View): string {
  const choices = [
    group('Show', 'view', { html: 'HTML', text: 'Text', headers: 'Headers' }),
    view.view === 'html' ? group('Width', 'width', { 390: '390', 700: '700', full: 'Full' }) : '',
  ]
  return `<header><h2>${escapeHtml(mail.subject)}</h2><p class="muted">To ${escapeHtml(mail.to)} · ${escapeHtml(timeOf(mail))}</p><div class="choices">${choices.join('')}</div></header>${bodyOf(mail, view)}`

  function group(label: string, name: keyof View, options: Record<string, string>): string {
    const links = Object.entries(options).map(([value, text]) => {
      const current = view[name] === value ? ' aria-current="true"' : ''
      return `<a href="${addressOf(mail, { ...view, [name]: value })}"${current}>${text}</a>`
    })
    return `<div role="group" aria-label="${label}">${links.join('')}</div>`
  }
}

function bodyOf(mail: OutboxMail, { view, width }: View): string {
  if (view === 'text') return `<pre>${escapeHtml(mail.text)}</pre>`
  if (view === 'headers') {
    const rows = mail.headers.map(
      ({ key, value }) => `<tr><th scope="row">${escapeHtml(key)}</th><td>${escapeHtml(value)}</td></tr>`,
    )
    return `<table>${rows.join('')}</table>`
  }
  const size = width === 'full' ? '100%' : `${width}px`
  return `<iframe title="How the mail looks" sandbox="${SANDBOX}" src="/outbox/${mail.id}/html" style="width:${size}"></iframe>`
}

function addressOf({ id }: OutboxMail, view: View): string {
  return escapeHtml(`/outbox/${id}?${new URLSearchParams(view).toString()}`)
}

function timeOf({ date }: OutboxMail): string {
  if (!date) return ''
  // The page has no scripts that could know the reader's zone.
  return `${new Date(date).toLocaleString('en-AU', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })} UTC`
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e3e5ea, #2c3039); --ink: light-dark(#1c2030, #eef0f4); --muted: light-dark(#5c6170, #a7abb6); --canvas: light-dark(#f6f7f9, #101217); --surface: light-dark(#fff, #181b21); --brand: light-dark(#4652d6, #b1baff); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100dvh; display: grid; grid-template-columns: minmax(240px, 340px) minmax(0, 1fr); font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--canvas); }
.skip { position: absolute; z-index: 1; top: -99px; left: 12px; padding: 7px 12px; border-radius: 8px; color: var(--brand); background: var(--surface); }
.skip:focus { top: 8px; }
nav { border-right: 1px solid var(--line); background: var(--surface); padding: 20px 12px; overflow: auto; max-height: 100dvh; position: sticky; top: 0; }
nav h1, nav > p { margin: 0 0 4px; padding: 0 10px; }
h1 { font-size: 18px; } h2 { font-size: 17px; margin: 0; overflow-wrap: anywhere; }
ol { list-style: none; margin: 12px 0 0; padding: 0; }
li a { display: grid; gap: 1px; padding: 9px 10px; border-radius: 8px; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
li a:hover { background: var(--canvas); }
li a[aria-current] { background: var(--canvas); box-shadow: inset 3px 0 var(--brand); }
li span, li time, .muted { color: var(--muted); font-size: 13px; }
main { padding: 20px; display: grid; grid-template-rows: auto 1fr; gap: 16px; min-width: 0; }
header p { margin: 2px 0 10px; }
.choices { display: flex; flex-wrap: wrap; gap: 8px; }
.choices div { display: flex; border: 1px solid var(--line); border-radius: 8px; overflow: clip; background: var(--surface); }
.choices a { padding: 7px 12px; color: var(--muted); text-decoration: none; }
.choices a:hover { color: var(--ink); }
.choices a[aria-current] { background: var(--canvas); color: var(--ink); font-weight: 600; }
main:focus { outline: none; }
a:focus-visible { outline: 2px solid var(--brand); outline-offset: -2px; }
iframe { display: block; max-width: 100%; height: 100%; min-height: 70dvh; border: 1px solid var(--line); border-radius: 8px; background: transparent; }
pre, table { margin: 0; padding: 16px; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; align-self: start; font: 13px/1.5 ui-monospace, monospace; max-width: 100%; }
pre { width: min(100%, 80ch); }
th { text-align: left; vertical-align: top; padding: 3px 16px 3px 0; color: var(--muted); font-weight: 500; white-space: nowrap; }
@media (max-width: 760px) { body { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto auto; } nav { position: static; max-height: 40dvh; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 16px; } }
`
