import type { SQLInputValue } from 'node:sqlite'
import { type CrmRecord, countRecords, findRecordName, selectRecords } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { DEAL_STAGES, LEAD_STATUSES } from '../settings/choices.ts'
import { text, textOrNull } from '../store.ts'
import type { Query } from '../wire/wire.ts'
import { type Html, html, type Part } from './html.ts'
import { badge, showChoice, showMoney, showTime } from './layout.ts'

const ROWS_PER_PAGE = 25

export function leadList(sandbox: Sandbox, query: Query): Part {
  const show = query['show'] ?? 'open'
  const filters = [
    show === 'open' && { sql: 'r.converted = 0', params: [] },
    show === 'converted' && { sql: 'r.converted = 1', params: [] },
    query['status'] && { sql: "r.data ->> '$.Lead_Status' = ?", params: [query['status']] },
    searched(query, ['Company', 'Full_Name', 'Email', 'Phone', 'LOID']),
  ]
  const found = findPage(sandbox, 'Leads', filters, query)
  return html`
<div class="head"><h1>Leads</h1><p class="count">${found.total} ${found.total === 1 ? 'lead' : 'leads'}</p><a class="button" href="/leads/new">New lead</a></div>
<form class="filters" role="search" action="/" method="get">
  <label>Search leads<input type="search" name="q" value="${query['q'] ?? ''}" placeholder="Business, contact, email, phone or LOID"></label>
  <label>Status<select name="status"><option value="">All statuses</option>${LEAD_STATUSES.map((one) => option(one.actual, one.display, query['status']))}</select></label>
  <label>Show<select name="show">${option('open', 'Open leads', show)}${option('converted', 'Converted leads', show)}${option('all', 'All leads', show)}</select></label>
  <button type="submit">Search</button>
</form>
${
  found.records.length === 0
    ? html`<p class="empty">No leads found.</p>`
    : html`<div class="card"><table>
<thead><tr><th scope="col">Business</th><th scope="col">Status</th><th scope="col" class="num">Amount</th><th scope="col" class="wide">Partner</th><th scope="col" class="wide">Changed</th></tr></thead>
<tbody>${found.records.map((lead) => leadRow(sandbox, lead))}</tbody></table></div>`
}
${pager('/', query, found)}`
}

export function dealList(sandbox: Sandbox, query: Query): Part {
  const filters = [
    query['stage'] && { sql: "r.data ->> '$.Stage' = ?", params: [query['stage']] },
    searched(query, ['Deal_Name', 'Business_Name', 'Email', 'Phone', 'LOID']),
  ]
  const found = findPage(sandbox, 'Deals', filters, query)
  return html`
<div class="head"><h1>Deals</h1><p class="count">${found.total} ${found.total === 1 ? 'deal' : 'deals'}</p></div>
<form class="filters" role="search" action="/deals" method="get">
  <label>Search deals<input type="search" name="q" value="${query['q'] ?? ''}" placeholder="Deal, business, email, phone or LOID"></label>
  <label>Stage<select name="stage"><option value="">All stages</option>${DEAL_STAGES.map((one) => option(one.actual, one.display, query['stage']))}</select></label>
  <button type="submit">Search</button>
</form>
${
  found.records.length === 0
    ? html`<p class="empty">No deals found. A lead becomes a deal when it is converted.</p>`
    : html`<div class="card"><table>
<thead><tr><th scope="col">Deal</th><th scope="col">Stage</th><th scope="col" class="num">Amount</th><th scope="col" class="wide">Partner</th><th scope="col" class="wide">Changed</th></tr></thead>
<tbody>${found.records.map((deal) => dealRow(sandbox, deal))}</tbody></table></div>`
}
${pager('/deals', query, found)}`
}

export function partnerList(sandbox: Sandbox, query: Query): Part {
  const found = findPage(sandbox, 'Partners', [searched(query, ['Name', 'Email'])], query)
  return html`
<div class="head"><h1>Partners</h1><p class="count">${found.total} ${found.total === 1 ? 'partner' : 'partners'}</p><a class="button" href="/partners/new">New partner</a></div>
<form class="filters" role="search" action="/partners" method="get">
  <label>Search partners<input type="search" name="q" value="${query['q'] ?? ''}" placeholder="Name or email"></label>
  <button type="submit">Search</button>
</form>
${
  found.records.length === 0
    ? html`<p class="empty">No partners found.</p>`
    : html`<div class="card"><table>
<thead><tr><th scope="col">Partner</th><th scope="col" class="num">Leads</th><th scope="col" class="num">Deals</th><th scope="col" class="wide">Since</th><th scope="col"><span class="hidden">Action</span></th></tr></thead>
<tbody>${found.records.map(
        (
          partner,
        ) => html`<tr><td><a href="/partners/${partner.id}"><strong>${partner.name}</strong></a><small>${partner.values['Email']}</small></td>
<td class="num">${countOf(sandbox, 'Leads', partner.id)}</td><td class="num">${countOf(sandbox, 'Deals', partner.id)}</td>
<td class="wide">${showTime(sandbox, partner.createdTime)}</td>
<td><a href="/leads/new?partner=${partner.id}">New lead<span class="hidden"> for ${partner.name}</span></a></td></tr>`,
      )}</tbody></table></div>`
}
${pager('/partners', query, found)}`
}

export function recycleBin(sandbox: Sandbox): Part {
  const rows = sandbox.store.all(
    "SELECT id, module, display_name, deleted_time FROM deleted WHERE type = 'recycle' AND module <> 'Notes' ORDER BY deleted_time DESC LIMIT 200",
  )
  return html`
<div class="head"><h1>Recycle bin</h1><p class="count">${rows.length} ${rows.length === 1 ? 'record' : 'records'}</p></div>
${
  rows.length === 0
    ? html`<p class="empty">The recycle bin is empty.</p>`
    : html`<div class="card"><table>
<thead><tr><th scope="col">Record</th><th scope="col">Module</th><th scope="col" class="wide">Deleted</th><th scope="col"><span class="hidden">Action</span></th></tr></thead>
<tbody>${rows.map((row) => {
        const name = textOrNull(row['display_name']) ?? text(row['id'])
        return html`<tr><td><strong>${name}</strong></td><td>${text(row['module'])}</td><td class="wide">${showTime(sandbox, text(row['deleted_time']))}</td>
<td><form method="post" action="/recycle-bin/${text(row['id'])}/restore"><button type="submit" class="quiet">Restore<span class="hidden"> ${name}</span></button></form></td></tr>`
      })}</tbody></table></div>`
}`
}

export function option(value: string, label: string, current: string | undefined): Html {
  return html`<option value="${value}" ${value === current && html`selected`}>${label}</option>`
}

type Filter = { sql: string; params: SQLInputValue[] } | false | '' | undefined

function searched(query: Query, fields: string[]): Filter {
  const wanted = query['q']?.trim()
  if (!wanted) return undefined
  const pattern = `%${wanted.replace(/[\\%_]/g, '\\$&')}%`
  return {
    sql: `(${fields.map((field) => `r.data ->> '$.${field}' LIKE ? ESCAPE '\\'`).join(' OR ')})`,
    params: fields.map(() => pattern),
  }
}

function findPage(sandbox: Sandbox, module: string, filters: Filter[], query: Query) {
  const used = filters.filter((one) => one !== false && one !== '' && one !== undefined)
  const clause = ['WHERE r.module = ?', ...used.map((one) => one.sql)].join(' AND ')
  const params = [module, ...used.flatMap((one) => one.params)]
  const total = countRecords(sandbox.store, clause, params)
  const page = Math.max(1, Math.min(Number(query['page']) || 1, Math.ceil(total / ROWS_PER_PAGE)))
  const records = selectRecords(sandbox.store, `${clause} ORDER BY r.modified_time DESC, r.id DESC LIMIT ? OFFSET ?`, [
    ...params,
    ROWS_PER_PAGE,
    (page - 1) * ROWS_PER_PAGE,
  ])
  return { records, total, page, pages: Math.ceil(total / ROWS_PER_PAGE) }
}

function leadRow(sandbox: Sandbox, lead: CrmRecord): Html {
  const status = lead.converted ? 'Converted' : showChoice('Leads', 'Lead_Status', lead.values['Lead_Status'])
  return html`<tr>
<td><a class="name" href="/leads/${lead.id}">${lead.values['Company'] ?? lead.name}</a><small>${lead.name} · <span class="loid">${lead.values['LOID'] ?? 'no LOID'}</span></small></td>
<td>${lead.converted ? html`<span class="badge good">${status}</span>` : badge(status)}</td>
<td class="num">${showMoney(lead.values['Loan_Amount'])}</td>
<td class="wide">${partnerName(sandbox, lead)}</td>
<td class="wide">${showTime(sandbox, lead.modifiedTime)}</td></tr>`
}

function dealRow(sandbox: Sandbox, deal: CrmRecord): Html {
  return html`<tr>
<td><a class="name" href="/deals/${deal.id}">${deal.name}</a><small><span class="loid">${deal.values['LOID'] ?? 'no LOID'}</span></small></td>
<td>${badge(showChoice('Deals', 'Stage', deal.values['Stage']))}</td>
<td class="num">${showMoney(deal.values['Amount'])}</td>
<td class="wide">${partnerName(sandbox, deal)}</td>
<td class="wide">${showTime(sandbox, deal.modifiedTime)}</td></tr>`
}

function partnerName(sandbox: Sandbox, record: CrmRecord): string {
  const id = record.values['Partner']
  return typeof id === 'string' ? (findRecordName(sandbox.store, id) ?? '—') : '—'
}

function countOf(sandbox: Sandbox, module: string, partnerId: string): number {
  return countRecords(sandbox.store, "WHERE r.module = ? AND r.data ->> '$.Partner' = ?", [module, partnerId])
}

function pager(path: string, query: Query, found: { page: number; pages: number }): Part {
  if (found.pages < 2) return null
  // `done` names the action that led to this page, and its message belongs to this page only.
  const { done: _, ...filters } = query
  const link = (page: number) => `${path}?${new URLSearchParams({ ...filters, page: String(page) }).toString()}`
  return html`<nav class="pager" aria-label="Pages">
${found.page > 1 ? html`<a class="button quiet" href="${link(found.page - 1)}">Previous</a>` : html`<span></span>`}
<span>Page ${found.page} of ${found.pages}</span>
${found.page < found.pages ? html`<a class="button quiet" href="${link(found.page + 1)}">Next</a>` : html`<span></span>`}</nav>`
}
