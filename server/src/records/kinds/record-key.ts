import { parseLoid } from '@portal/contract/loid.ts'
import { isId } from '../../platform/db/ids.ts'

/** By which column a lead or deal is looked up; undefined if the text is neither an id nor a LOID. */
export function readKey(idOrLoid: string): { column: 'id' | 'loid'; value: string } | undefined {
  if (isId(idOrLoid)) return { column: 'id', value: idOrLoid }
  const loid = parseLoid(idOrLoid)
  return loid === null ? undefined : { column: 'loid', value: loid }
}
