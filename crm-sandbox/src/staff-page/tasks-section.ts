import type { CrmRecord } from '../records/records-table.ts'
import { findTasksOf, taskParent, taskStatus } from '../records/tasks.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { displayValue, TASK_STATUSES } from '../settings/choices.ts'
import type { JsonObject, Query } from '../wire/wire.ts'
import { type Html, html } from './html.ts'
import { showDate, showTime } from './layout.ts'
import { userName } from './record-parts.ts'

/** The tasks on a record, with which staff ask the partner for something. */
export function tasksSection(sandbox: Sandbox, record: CrmRecord, path: string): Html {
  const tasks = findTasksOf(sandbox, record)
  return html`<section class="card"><h2>Tasks <span class="count">${tasks.length}</span></h2>
${
  !record.converted &&
  html`<form method="post" action="${path}/tasks" class="stack">
  <label>Task subject<input name="subject" maxlength="255" required placeholder="Partner: last three bank statements"></label>
  <label>Task description<textarea name="description" rows="2"></textarea></label>
  <label>Due date<input type="date" name="due"></label>
  <p class="hint">A subject beginning with “Partner:” asks the partner.</p>
  <button type="submit">Add task</button>
</form>`
}
<ul class="feed" aria-label="Tasks">${tasks.map((task) => taskItemOf(sandbox, task, path))}</ul></section>`
}

function taskItemOf(sandbox: Sandbox, task: CrmRecord, path: string): Html {
  const due = task.values['Due_Date']
  const isDone = task.values['Status'] === taskStatus(sandbox, 'accepted')
  return html`<li><strong>${task.name}</strong> <span class="badge">${showStatus(sandbox, task)}</span>
<p>${task.values['Description']}</p>
<small>${userName(task.createdBy)} · ${showTime(sandbox, task.createdTime)}${due && ` · until ${showDate(due)}`}</small>
<form method="post" action="${path}/tasks/${task.id}" class="stack">
<label>Reason to ask again<input name="description" maxlength="2000"></label>
<p>${!isDone && html`<button type="submit" name="to" value="accept">Accept</button> `}<button type="submit" name="to" value="again">Ask again</button> <button type="submit" name="to" value="withdraw" class="danger">Withdraw</button></p>
</form></li>`
}

function showStatus(sandbox: Sandbox, { values }: CrmRecord): string {
  const status = values['Status']
  return typeof status === 'string' ? displayValue(TASK_STATUSES[sandbox.behaviour().taskStatuses], status) : '—'
}

/** The API's form of a task that staff enter. */
export function taskItem(sandbox: Sandbox, record: CrmRecord, form: Query): JsonObject {
  const { What_Id: what, Who_Id: who } = taskParent(sandbox, record)
  return {
    Subject: form['subject'] || null,
    Description: form['description'] || null,
    Due_Date: form['due'] || null,
    Status: taskStatus(sandbox, 'asked'),
    ...(what ? { What_Id: { id: what } } : {}),
    ...(who ? { Who_Id: { id: who } } : {}),
  }
}
