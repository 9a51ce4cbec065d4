import { type CrmRecord, selectRecords } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { attachmentsSection } from './attachments-section.ts'
import { type Html, html, type Part } from './html.ts'
import { showTime } from './layout.ts'
import { addedFieldsForm, details, fieldText, timelineSection, userName } from './record-parts.ts'

const RECORDS_MAX = 10

export function partnerPage(sandbox: Sandbox, partner: CrmRecord): Part {
  const path = `/partners/${partner.id}`
  const field = (name: string) => fieldText(sandbox, partner, name)
  return html`
<nav class="crumbs" aria-label="Breadcrumb"><a href="/partners">Partners</a></nav>
<div class="head"><div><h1>${partner.name}</h1><p>${field('Email')}</p></div><a class="button" href="/leads/new?partner=${partner.id}">New lead</a></div>
<div class="columns"><div>
${addedFieldsForm(sandbox, partner, path)}
${referrals(sandbox, partner, 'Leads')}
${referrals(sandbox, partner, 'Deals')}
</div><div>
${details('Partner', [
  ['First name', field('First_Name')],
  ['Last name', field('Last_Name')],
  ['Phone', field('Phone')],
  ['Owner', userName(partner.owner)],
  ['Since', showTime(sandbox, partner.createdTime)],
])}
${attachmentsSection(sandbox, partner, { path, shown: 'Statement' })}
${timelineSection(sandbox, partner)}
</div></div>`
}

/** A form for a partner that the lender's team enters, for example to invite it. */
export function newPartnerPage(): Part {
  return html`
<nav class="crumbs" aria-label="Breadcrumb"><a href="/partners">Partners</a></nav>
<div class="head"><h1>New partner</h1></div>
<section class="card"><form method="post" action="/partners" class="stack">
<label>Name<input name="Name" required maxlength="200"></label>
<label>Email<input name="Email" type="email" maxlength="100"></label>
<label>First name<input name="First_Name" maxlength="100"></label>
<label>Last name<input name="Last_Name" maxlength="100"></label>
<button type="submit">Create partner</button></form></section>`
}

function referrals(sandbox: Sandbox, partner: CrmRecord, module: 'Leads' | 'Deals'): Html | false {
  const section = module === 'Leads' ? 'leads' : 'deals'
  const records = selectRecords(
    sandbox.store,
    "WHERE r.module = ? AND r.data ->> '$.Partner' = ? ORDER BY r.modified_time DESC, r.id DESC LIMIT ?",
    [module, partner.id, RECORDS_MAX],
  )
  if (records.length === 0) return false
  return html`<section class="card"><h2>Newest ${section}</h2><ul class="feed">${records.map(
    (record) => html`<li><a href="/${section}/${record.id}">${record.values['Company'] ?? record.name}</a>
<small>${showTime(sandbox, record.modifiedTime)}</small></li>`,
  )}</ul></section>`
}
