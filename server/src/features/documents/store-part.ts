import { setTimeout as sleep } from 'node:timers/promises'
import { DOCUMENT_PART_BYTES } from '@portal/contract/documents.ts'
import type { Deps } from '../../deps.ts'
import { isId } from '../../platform/db/ids.ts'
import { withinBudget } from '../../platform/db/time-budget.ts'
import { Conflict, Invalid, NotFound } from '../../platform/errors.ts'
import { createWorkQueue } from '../../platform/work-queue.ts'
import { findDocument, UNFINISHED_HOURS } from '../../records/documents/documents.queries.ts'
import { countArrived, findPartNumbers, storeDocumentPart } from '../../records/documents/uploads.queries.ts'
import { partBytes, refuseFull } from './begin-upload.ts'

/** A process has few parts in memory at once. One that arrives slowly lets others begin after this time. */
const AT_ONCE = 4
const SLOW_MS = 1_000
const inLine = createWorkQueue({ atOnce: AT_ONCE, waitMsMax: 10_000 })
/** The memory of parts that have been stored, which the next ones use again. */
const spare: Buffer[] = []

/** Stores one part of a file that is arriving. The same part may come again, and changes nothing. */
export async function storeDocument(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  partnerId: string,
  { id, number, read }: { id: string; number: number; read: (into: Buffer) => Promise<Buffer | undefined> },
): Promise<{ parts: number[] }> {
  const { db, clock } = deps
  const document = isId(id) ? await findDocument(db, partnerId, id) : undefined
  const begunAfter = new Date(clock.now().getTime() - UNFINISHED_HOURS * 3_600_000).toISOString()
  if (!document || document.removed_at !== null || document.sha256 === null) throw new NotFound('Document not found')
  if (document.state !== 'uploading') throw new Conflict('CONFLICT', 'The file is complete already.')
  if (document.added_at < begunAfter) throw new NotFound('The upload was begun more than a day ago. Begin it again.')
  const bytes = partBytes(document.size, number)
  const isStored = await inTurn(async () => {
    const room = spare.pop() ?? Buffer.allocUnsafeSlow(DOCUMENT_PART_BYTES)
    try {
      const content = await read(room)
      if (!content || bytes === 0 || content.byteLength !== bytes) {
        throw new Invalid(
          'VALIDATION',
          `Part ${number} of this file has ${bytes} bytes, sent as application/octet-stream.`,
        )
      }
      return await store(deps, partnerId, { id, number, content })
    } finally {
      if (spare.length < AT_ONCE) spare.push(room)
    }
  })
  if (!isStored) throw new NotFound('Document not found')
  return { parts: await findPartNumbers(db, partnerId, id) }
}

async function store(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  partnerId: string,
  { id, number, content }: { id: string; number: number; content: Buffer },
): Promise<boolean> {
  if ((await findPartNumbers(db, partnerId, id)).includes(number)) return true
  const bytes = content.byteLength
  const { of_partner, of_all } = await countArrived(db, partnerId)
  refuseFull(config, { of_partner: of_partner + bytes, of_all: of_all + bytes })
  return storeDocumentPart(db, { partnerId, id, number, content, at: clock.now().toISOString() })
}

/** Runs the work when its turn comes. The wait for other parts counts against nobody's time for the database. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    inLine(() => {
      const done = withinBudget(undefined, work)
      done.then(resolve, reject)
      return Promise.race([done, sleep(SLOW_MS)])
    }).catch(reject)
  })
}
