import { needsAnswer } from '@portal/contract/requests.ts'
import { applyTasks } from '../../crm/apply/apply-tasks.ts'
import type { Deps } from '../../deps.ts'
import { answerLender } from '../../features/requests/answer-request.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import { findRequests } from '../../records/requests/requests.queries.ts'
import type { Act } from './story.ts'

/** The acts about what the lender asks. */
export type RequestAct = Extract<Act, { does: 'ask' | 'ask again' | 'accept' | 'answer' }>

/**
 * Plays an act about a request, unless it was played before. `send` sends a form of the referral's page for staff.
 */
export async function playRequest(
  acting: Deps,
  act: RequestAct,
  { loid, by, send }: { loid: string; by: Caller; send: (what: string, form: Record<string, string>) => Promise<void> },
): Promise<void> {
  const { signal } = new AbortController()
  const request = (await findRequests(acting.reads, by.id, loid)).find(({ subject }) => subject === act.subject)
  const row = await acting.db
    .selectFrom('requests')
    .select('zoho_id')
    .where('id', '=', request?.id ?? '00000000-0000-0000-0000-000000000000')
    .executeTakeFirst()
  if (act.does === 'answer') {
    if (!request || !row || !needsAnswer(request)) return
    // Any call tells the time of the CRM.
    await acting.crm.getTasks([row.zoho_id], signal)
    const answer = { id: request.id, content: act.content }
    await acting.db.transaction().execute((tx) => answerLender(tx, acting, by, answer))
    return
  }
  if (act.does === 'ask') {
    if (request) return
    await send('tasks', { subject: `Partner: ${act.subject}`, description: act.reason, due: act.until })
  } else {
    const description = act.does === 'ask again' ? act.reason : ''
    await send(`tasks/${row?.zoho_id}`, { to: act.does === 'accept' ? 'accept' : 'again', description })
  }
  for await (const tasks of acting.crm.openTaskPages(signal)) await applyTasks(acting, tasks, { isNews: true })
  if (row) await applyTasks(acting, await acting.crm.getTasks([row.zoho_id], signal), { isNews: true })
}
