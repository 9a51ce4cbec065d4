import { findNotesOf } from '../records/record-changes.ts'
import { type CrmRecord, findRecordName, type Value } from '../records/records-table.ts'
import { findTimeline, parseChanges } from '../records/timeline.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { type Field, findField, getModule, type ModuleName } from '../settings/modules.ts'
import { findUser } from '../settings/people.ts'
import { text, textOrNull } from '../store.ts'
import { type Html, html, type Part } from './html.ts'
import { showChoice, showDate, showMoney, showTime } from './layout.ts'
import { option } from './lists.ts'

/** A card that lists labels with their values. */
export function details(title: string, rows: readonly (readonly [string, Part])[]): Html {
  return html`<section class="card"><h2>${title}</h2><dl>${rows.map(
    ([label, value]) => html`<div><dt>${label}</dt><dd>${value || '—'}</dd></div>`,
  )}</dl></section>`
}

/** One field of a record as staff read it. */
export function fieldText(sandbox: Sandbox, record: CrmRecord, name: string): string {
  return valueText(sandbox, record, name, record.values[name] ?? null)
}

export function notesSection(sandbox: Sandbox, record: CrmRecord, path: string): Html {
  const notes = findNotesOf(sandbox, record).toReversed()
  return html`<section class="card"><h2>Notes <span class="count">${notes.length}</span></h2>
<form method="post" action="${path}/notes" class="stack">
  <label>Note title<input name="title" maxlength="120" placeholder="Partner update"></label>
  <label>Note<textarea name="content" rows="3" required></textarea></label>
  <p class="hint">A title beginning with “Partner” marks the note as meant for the partner.</p>
  <button type="submit">Add note</button>
</form>
<ul class="feed" aria-label="Notes">${notes.map(
    (note) => html`<li>${note.name && html`<strong>${note.name}</strong>`}<p>${note.values['Note_Content']}</p>
<small>${userName(note.createdBy)} · ${showTime(sandbox, note.createdTime)}</small></li>`,
  )}</ul></section>`
}

/** A form for the custom fields that the organisation has added to those that it began with. */
export function addedFieldsForm(sandbox: Sandbox, record: CrmRecord, path: string): Html | false {
  const fields = addedFields(sandbox, record.module)
  if (fields.length === 0) return false
  return html`<section class="card"><h2>More fields</h2><form method="post" action="${path}/fields" class="stack">
${fields.map((field) => {
  const value = String(record.values[field.apiName] ?? '')
  const type = field.type === 'date' ? 'date' : 'text'
  return field.choices
    ? html`<label>${field.label}<select name="${field.apiName}"><option value="">-None-</option>${field.choices.map((one) => option(one.actual, one.display, value))}</select></label>`
    : html`<label>${field.label}<input name="${field.apiName}" type="${type}" maxlength="${field.length}" ${field.type === 'currency' && html`inputmode="decimal"`} value="${value}"></label>`
})}
<button type="submit">Save fields</button></form></section>`
}

export function addedFields(sandbox: Sandbox, name: ModuleName): Field[] {
  const begun = getModule(name)
  return sandbox.fields.of(begun).fields.filter((field) => !findField(begun, field.apiName))
}

export function timelineSection(sandbox: Sandbox, record: CrmRecord): Html {
  const rows = findTimeline(sandbox, record.id, {}, 100, 0)
  return html`<section class="card"><h2>Timeline</h2><ol class="feed" aria-label="Timeline">${rows.map((row) => {
    const changes = parseChanges(textOrNull(row['field_history']))
    return html`<li><strong>${capitalised(text(row['action']))}</strong>
${changes.map((change) => {
  const label = findField(getModule(record.module), change.field)?.label ?? change.field
  const [old, now] = [change.old, change.new].map((value) => valueText(sandbox, record, change.field, value))
  return html`<p>${label}: <span class="old">${old}</span> → ${now}</p>`
})}
<small>${userName(text(row['done_by']))} · ${showTime(sandbox, text(row['audited_time']))}</small></li>`
  })}</ol></section>`
}

export function deleteForm(path: string, what: 'lead' | 'deal'): Html {
  return html`<details class="card danger"><summary>Delete this ${what}…</summary>
<form method="post" action="${path}/delete" class="stack">
<p>It goes to the recycle bin with its notes, and can be restored from there.</p>
<button type="submit" class="danger">Delete ${what}</button></form></details>`
}

export function userName(id: string): string {
  return findUser(id)?.name ?? 'someone'
}

function valueText(sandbox: Sandbox, record: CrmRecord, name: string, value: Value): string {
  if (value === null || value === '') return '—'
  const field = findField(getModule(record.module), name)
  switch (field?.type) {
    case 'currency':
      return showMoney(value)
    case 'boolean':
      return value === true ? 'Yes' : 'No'
    case 'date':
      return showDate(value)
    case 'picklist':
      return showChoice(record.module, name, value)
    case 'lookup':
      return findRecordName(sandbox.store, String(value)) ?? '—'
    case 'ownerlookup':
      return userName(String(value))
    case 'percent':
      return `${value}%`
    default:
      return String(value)
  }
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
