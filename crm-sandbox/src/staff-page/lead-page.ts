import { type CrmRecord, findRecordName, selectRecords } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { DEAL_STAGES, INDUSTRIES, LEAD_STATUSES, LOAN_TERMS, LOAN_TYPES, STATES } from '../settings/choices.ts'
import { localDay } from '../wire/times.ts'
import type { Query } from '../wire/wire.ts'
import { attachmentsSection } from './attachments-section.ts'
import { type Html, html, type Part } from './html.ts'
import { badge, showChoice, showMoney, showTime } from './layout.ts'
import { option } from './lists.ts'
import {
  addedFieldsForm,
  deleteForm,
  details,
  fieldText,
  notesSection,
  timelineSection,
  userName,
} from './record-parts.ts'
import { tasksSection } from './tasks-section.ts'

const DAY_MS = 86_400_000

export function leadPage(sandbox: Sandbox, lead: CrmRecord): Part {
  const path = `/leads/${lead.id}`
  const field = (name: string) => fieldText(sandbox, lead, name)
  const email = lead.values['Email']
  const phone = lead.values['Phone']
  const status = showChoice('Leads', 'Lead_Status', lead.values['Lead_Status'])
  return html`
<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Leads</a></nav>
<div class="head"><div><h1>${lead.values['Company'] ?? lead.name}</h1><p>${lead.name} · <span class="loid">${lead.values['LOID'] ?? 'no LOID'}</span></p></div>
<p class="big">${showMoney(lead.values['Loan_Amount'])}</p>${lead.converted ? html`<span class="badge good">Converted</span>` : badge(status)}</div>
<div class="columns"><div>
${lead.converted ? convertedCard(sandbox, path, lead) : html`${statusForm(path, lead)}${convertForm(sandbox, path, lead)}`}
${addedFieldsForm(sandbox, lead, path)}
${tasksSection(sandbox, lead, path)}
${attachmentsSection(sandbox, lead, { path, shown: 'Partner' })}
${notesSection(sandbox, lead, path)}
${deleteForm(path, 'lead')}
</div><div>
${details('Lead', [
  ['Contact', lead.name],
  ['Email', typeof email === 'string' && html`<a href="mailto:${encodeURIComponent(email)}">${email}</a>`],
  ['Phone', typeof phone === 'string' && html`<a href="tel:${encodeURIComponent(phone)}">${phone}</a>`],
  ['Partner', field('Partner')],
  ['Loan type', field('Loan_Type')],
  ['Loan purpose', field('Loan_Purpose')],
  ['Loan term', field('Loan_Term')],
  ['Lead source', field('Lead_Source')],
  ['ISO', field('Partner_ISO')],
  ['State', field('State')],
  ['Owner', userName(lead.owner)],
  ['Submitted', showTime(sandbox, lead.createdTime)],
])}
${details('Business', [
  ['Industry', field('Industry')],
  ['Time in business', field('Time_in_Business')],
  ['Monthly sales', field('Sales_Monthly')],
  ['ABN', field('Business_ABN')],
  ['Owns property', field('Owns_Property')],
  ['Property value', field('Property_Value')],
  ['Property debt', field('Property_Debt')],
  ['Description', field('Description')],
])}
${timelineSection(sandbox, lead)}
</div></div>`
}

/** The form for a new lead, such as a lead that a partner gave by phone. */
export function newLeadPage(sandbox: Sandbox, query: Query): Part {
  const partners = selectRecords(sandbox.store, "WHERE r.module = 'Partners' ORDER BY r.name LIMIT 500", [])
  const value = (name: string) => query[name] ?? ''
  return html`
<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Leads</a></nav>
<div class="head"><h1>New lead</h1></div>
<form method="post" action="/leads" class="card grid">
  <label>Partner<select name="Partner"><option value="">None</option>${partners.map((one) => option(one.id, one.name ?? one.id, query['partner'] ?? query['Partner']))}</select></label>
  <label>Business name<input name="Company" required maxlength="200" value="${value('Company')}"></label>
  <label>First name<input name="First_Name" maxlength="40" value="${value('First_Name')}"></label>
  <label>Last name<input name="Last_Name" required maxlength="80" value="${value('Last_Name')}"></label>
  <label>Email<input type="email" name="Email" maxlength="100" value="${value('Email')}"></label>
  <label>Phone<input type="tel" name="Phone" maxlength="30" value="${value('Phone')}"></label>
  <label>Loan amount<input name="Loan_Amount" inputmode="decimal" value="${value('Loan_Amount')}"></label>
  <label>Loan type<select name="Loan_Type"><option value="">None</option>${LOAN_TYPES.map((one) => option(one.actual, one.display, query['Loan_Type']))}</select></label>
  <label>Loan term<select name="Loan_Term"><option value="">None</option>${LOAN_TERMS.map((one) => option(one.actual, one.display, query['Loan_Term']))}</select></label>
  <label>Industry<select name="Industry"><option value="">None</option>${INDUSTRIES.map((one) => option(one.actual, one.display, query['Industry']))}</select></label>
  <label>State<select name="State"><option value="">None</option>${STATES.map((one) => option(one.actual, one.display, query['State']))}</select></label>
  <label class="full">Loan purpose<textarea name="Loan_Purpose" rows="2">${value('Loan_Purpose')}</textarea></label>
  <p class="full"><button type="submit">Create lead</button></p>
</form>`
}

function statusForm(path: string, lead: CrmRecord): Html {
  const current = lead.values['Lead_Status']
  return html`<section class="card"><h2>Status</h2><form method="post" action="${path}/status" class="row">
<label>Lead status<select name="status">${
    typeof current === 'string' ? null : html`<option value="">-None-</option>`
  }${LEAD_STATUSES.map((one) => option(one.actual, one.display, String(current)))}</select></label>
<button type="submit">Save status</button></form></section>`
}

function convertForm(sandbox: Sandbox, path: string, lead: CrmRecord): Html {
  const name = [lead.values['Company'] ?? lead.name, lead.values['Loan_Type']].filter(Boolean).join(' – ')
  const closing = localDay(sandbox.now() + 30 * DAY_MS, sandbox.behaviour().timesOffset)
  const action = lead.converted ? `${path}/deal` : `${path}/convert`
  return html`<section class="card"><h2>${lead.converted ? 'Make its deal' : 'Convert to a deal'}</h2><form method="post" action="${action}" class="stack">
<label>Deal name<input name="name" required maxlength="120" value="${name.slice(0, 120)}"></label>
<label>Stage<select name="stage">${DEAL_STAGES.map((one) => option(one.actual, one.display, 'Waiting On Application'))}</select></label>
<label>Amount<input name="amount" inputmode="decimal" value="${lead.values['Loan_Amount'] ?? ''}"></label>
<label>Closing date<input type="date" name="closing" required value="${closing}"></label>
${
  lead.converted
    ? html`<button type="submit">Make deal</button>`
    : html`<button type="submit">Convert lead</button>
<button type="submit" class="quiet" name="without" value="deal" formnovalidate>Convert without a deal</button>`
}</form></section>`
}

function convertedCard(sandbox: Sandbox, path: string, lead: CrmRecord): Html {
  const deal = lead.values['Converted_Deal']
  const at = lead.values['Converted_Date_Time']
  return html`<section class="card"><h2>Converted</h2>
<p>${typeof at === 'string' && showTime(sandbox, at)}</p>
${
  typeof deal === 'string'
    ? html`<p><a class="button" href="/deals/${deal}">Open deal</a></p><p>${findRecordName(sandbox.store, deal)}</p></section>`
    : html`<p>Without a deal.</p></section>${convertForm(sandbox, path, lead)}`
}`
}
