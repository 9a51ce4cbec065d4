import type { Note } from '@portal/contract/notes.ts'
import { needsAnswer } from '@portal/contract/requests.ts'
import { beginTask } from '../../crm/push/begin-task.job.ts'
import type { Deps } from '../../deps.ts'
import { cutText } from '../../platform/cut-text.ts'
import type { Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import type { RequestRow } from '../../platform/db/tables.ts'
import { Conflict, NotFound } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import { recordEvent } from '../../records/events/events.ts'
import { requestFacts } from '../../records/requests/request-event.ts'
import { lockRequest, markRequestSent, type RequestOwner } from '../../records/requests/requests.queries.ts'
import { addNoteToRecord } from '../notes/add-note.ts'

const TITLE_LENGTH_MAX = 120

/**
 * In the caller's transaction, answers what the lender asks: with a note that names the request, and the job that sets its
 * task in progress (D105). Throws `Conflict` if the lender waits for no answer.
 */
export async function answerLender(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'jobs' | 'crm'>,
  partner: Caller,
  { id, content }: { id: string; content: string },
): Promise<{ note: Note }> {
  const request = isId(id) ? await lockRequest(tx, partner.id, id) : undefined
  if (!request) throw new NotFound('Request not found')
  const { owner } = request
  if (!needsAnswer(request)) throw new Conflict('CONFLICT', CLOSED[request.state])
  const title = cutText(`Answer: ${request.subject}`, TITLE_LENGTH_MAX)
  const answered = await addNoteToRecord(tx, deps, partner, { loid: owner.loid, on: owner.about, title, content })
  await settleRequest(tx, deps, partner, request)
  return answered
}

/**
 * In the caller's transaction, marks an answered request as sent, with its event and the job that sets its task in
 * progress. Returns the time of the answer.
 */
export async function settleRequest(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'jobs' | 'crm'>,
  partner: Caller,
  { owner, ...request }: RequestRow & { owner: RequestOwner },
): Promise<string> {
  const answeredAt = deps.crm.now().toISOString()
  await markRequestSent(tx, request.id, answeredAt)
  await recordEvent(tx, {
    partnerId: partner.id,
    loid: owner.loid,
    type: 'request.answered',
    data: { ...requestFacts(request, owner), submitted_by: partner.submitter.name },
    personId: partner.submitter.id,
    at: deps.clock.now().toISOString(),
  })
  await deps.jobs.enqueue(tx, beginTask, { requestId: request.id })
  return answeredAt
}

/** Why a request in this state takes no answer. */
export const CLOSED = {
  asked: '',
  again: '',
  sent: 'This has been answered. Add a note to tell the lender more.',
  accepted: 'The lender has accepted the answer. Add a note to tell the lender more.',
  withdrawn: 'The lender does not ask this any more. Add a note to tell the lender more.',
}
