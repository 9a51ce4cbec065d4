import { type CrmRecord, selectRecords } from '../records/records-table.ts'
import { findStages } from '../records/stage-history.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { DEAL_STAGES, displayValue } from '../settings/choices.ts'
import { daysBetween, storedInstant } from '../wire/times.ts'
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

export function dealPage(sandbox: Sandbox, deal: CrmRecord): Part {
  const path = `/deals/${deal.id}`
  const field = (name: string) => fieldText(sandbox, deal, name)
  const [lead] = selectRecords(
    sandbox.store,
    "WHERE r.module = 'Leads' AND r.converted = 1 AND r.data ->> '$.Converted_Deal' = ?",
    [deal.id],
  )
  return html`
<nav class="crumbs" aria-label="Breadcrumb"><a href="/deals">Deals</a></nav>
<div class="head"><div><h1>${deal.name}</h1><p>${deal.values['Business_Name']} · <span class="loid">${deal.values['LOID'] ?? 'no LOID'}</span></p></div>
<p class="big">${showMoney(deal.values['Amount'])}</p>${badge(showChoice('Deals', 'Stage', deal.values['Stage']))}</div>
<div class="columns"><div>
<section class="card"><h2>Stage</h2><form method="post" action="${path}/stage" class="row">
<label>Deal stage<select name="stage">${DEAL_STAGES.map((one) => option(one.actual, one.display, String(deal.values['Stage'])))}</select></label>
<button type="submit">Save stage</button></form></section>
<section class="card"><h2>Terms</h2><form method="post" action="${path}/terms" class="stack">
<label>Amount<input name="amount" inputmode="decimal" value="${deal.values['Amount'] === null ? '' : String(deal.values['Amount'] ?? '')}"></label>
<label>Closing date<input type="date" name="closing" value="${String(deal.values['Closing_Date'] ?? '')}"></label>
<button type="submit">Save terms</button></form></section>
${addedFieldsForm(sandbox, deal, path)}
${tasksSection(sandbox, deal, path)}
${attachmentsSection(sandbox, deal, { path, shown: 'Partner' })}
${notesSection(sandbox, deal, path)}
${deleteForm(path, 'deal')}
</div><div>
${details('Deal', [
  ['Contact', field('Contact_Name')],
  ['Account', field('Account_Name')],
  ['Email', field('Email')],
  ['Phone', field('Phone')],
  ['Partner', field('Partner')],
  ['Loan type', field('Loan_Type')],
  ['Loan purpose', field('Loan_Purpose')],
  ['Loan term', field('Loan_Term')],
  ['Probability', field('Probability')],
  ['Closing date', field('Closing_Date')],
  ['Owner', userName(deal.owner)],
  ['Created', showTime(sandbox, deal.createdTime)],
  ['Lead', lead && html`<a href="/leads/${lead.id}">${lead.name}</a>`],
])}
${stageSection(sandbox, deal)}
${timelineSection(sandbox, deal)}
</div></div>`
}

function stageSection(sandbox: Sandbox, deal: CrmRecord): Html {
  const now = storedInstant(sandbox.now())
  return html`<section class="card"><h2>Stage history</h2><ol class="feed" aria-label="Stage history">${findStages(
    sandbox,
    deal.id,
  ).map((entry) => {
    const days = daysBetween(entry.enteredTime, entry.leftTime ?? now)
    return html`<li><strong>${displayValue(DEAL_STAGES, entry.stage)}</strong>
<small>${userName(entry.modifiedBy)} · ${showTime(sandbox, entry.enteredTime)} · ${days} ${days === 1 ? 'day' : 'days'}</small></li>`
  })}</ol></section>`
}
