import { reasonOf } from '../pull/pull.ts'

/**
 * Applies items together. If PostgreSQL or a rule refuses an item, the items are halved again and again until the
 * refused item is alone. Then this item is left out, and the other items are applied (D28). Returns the results of the
 * applied parts, in order.
 */
export async function applyInHalves<Item, Result>(
  items: readonly Item[],
  apply: (items: readonly Item[]) => Promise<Result>,
  leaveOut: (item: Item, reason: string) => void,
): Promise<Result[]> {
  if (items.length === 0) return []
  try {
    return [await apply(items)]
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    const [item] = items
    if (item !== undefined && items.length === 1) {
      leaveOut(item, reason)
      return []
    }
    const middle = Math.ceil(items.length / 2)
    const first = await applyInHalves(items.slice(0, middle), apply, leaveOut)
    return [...first, ...(await applyInHalves(items.slice(middle), apply, leaveOut))]
  }
}
