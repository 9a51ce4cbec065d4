import { findAttachmentsOf } from '../records/attachments.ts'
import type { CrmRecord } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { type Html, html } from './html.ts'
import { showTime } from './layout.ts'
import { userName } from './record-parts.ts'

/** The files on a record, with a form that attaches another. `shown` begins the names of files that the partner sees. */
export function attachmentsSection(
  sandbox: Sandbox,
  record: CrmRecord,
  { path, shown }: { path: string; shown: string },
): Html {
  const attachments = findAttachmentsOf(sandbox, record)
  return html`<section class="card"><h2>Attachments <span class="count">${attachments.length}</span></h2>
<form method="post" action="${path}/attachments" enctype="multipart/form-data" class="stack">
  <label>File<input type="file" name="file" required></label>
  <p class="hint">A name beginning with “${shown}” shows the file to the partner.</p>
  <button type="submit">Attach file</button>
</form>
<ul class="feed" aria-label="Attachments">${attachments.map(
    ({ id, name, size, link, createdBy, createdTime }) =>
      html`<li><a href="${link ?? `${path}/attachments/${id}`}">${name}</a>
<small>${link === null ? `${size} bytes` : 'link'} · ${userName(createdBy)} · ${showTime(sandbox, createdTime)}</small>
<form method="post" action="${path}/attachments/${id}/delete"><button type="submit" class="danger" aria-label="Delete ${name}">Delete</button></form></li>`,
  )}</ul></section>`
}
