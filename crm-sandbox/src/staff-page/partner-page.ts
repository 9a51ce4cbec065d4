import type { CrmRecord } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { html, type Part } from './html.ts'
import { showTime } from './layout.ts'
import { addedFieldsForm, details, fieldText } from './record-parts.ts'

/** A partner's own record, with the fields that the lender's partner team fills in. */
export function partnerPage(sandbox: Sandbox, partner: CrmRecord): Part {
  const field = (name: string) => fieldText(sandbox, partner, name)
  return html`
<nav class="crumbs" aria-label="Breadcrumb"><a href="/partners">Partners</a></nav>
<div class="head"><h1>${partner.name}</h1><a class="button" href="/leads/new?partner=${partner.id}">New lead</a></div>
<div class="columns"><div>
${addedFieldsForm(sandbox, partner, `/partners/${partner.id}`)}
</div><div>
${details('Partner', [
  ['First name', field('First_Name')],
  ['Last name', field('Last_Name')],
  ['Email', field('Email')],
  ['Phone', field('Phone')],
  ['Since', showTime(sandbox, partner.createdTime)],
])}
</div></div>`
}
