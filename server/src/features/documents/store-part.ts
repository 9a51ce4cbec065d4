import PQueue from 'p-queue'
import type { Deps } from '../../deps.ts'
import { isId } from '../../platform/db/ids.ts'
import { withinBudget } from '../../platform/db/time-budget.ts'
import { Conflict, Invalid, NotFound } from '../../platform/errors.ts'
import {
  countArrived,
  findDocument,
  findPartNumbers,
  storeDocumentPart,
  UNFINISHED_HOURS,
} from '../../records/documents/documents.queries.ts'
import { partBytes, refuseFull } from './begin-upload.ts'

/** Each part is copied on its way to the database, so a process stores few at a time. The wait for others counts against nobody's budget. */
const storing = new PQueue({ concurrency: 3 })

/** Stores one part of a file that is arriving. The same part may come again, and changes nothing. */
export async function storeDocument(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  partnerId: string,
  { id, number, content }: { id: string; number: number; content: Buffer | undefined },
): Promise<{ parts: number[] }> {
  const document = isId(id) ? await findDocument(db, partnerId, id) : undefined
  const begunAfter = new Date(clock.now().getTime() - UNFINISHED_HOURS * 3_600_000).toISOString()
  if (!document || document.removed_at !== null || document.sha256 === null) throw new NotFound('Document not found')
  if (document.state !== 'uploading') throw new Conflict('CONFLICT', 'The file is complete already.')
  if (document.added_at < begunAfter) throw new NotFound('The upload was begun more than a day ago. Begin it again.')
  const bytes = partBytes(document.size, number)
  if (!content || bytes === 0 || content.byteLength !== bytes) {
    throw new Invalid('VALIDATION', `Part ${number} of this file has ${bytes} bytes, sent as application/octet-stream.`)
  }
  const parts = await findPartNumbers(db, partnerId, id)
  if (parts.includes(number)) return { parts }
  const isStored = await storing.add(() =>
    withinBudget(undefined, async () => {
      const { of_partner, of_all } = await countArrived(db, partnerId)
      refuseFull(config, { of_partner: of_partner + bytes, of_all: of_all + bytes })
      return storeDocumentPart(db, { partnerId, id, number, content, at: clock.now().toISOString() })
    }),
  )
  if (!isStored) throw new NotFound('Document not found')
  return { parts: await findPartNumbers(db, partnerId, id) }
}
