import { reasonOf } from './pull.ts'

/**
 * Applies items together. Where PostgreSQL or the rules refuse one of them, they are halved until that one stands alone: it
 * is left out, the others are applied (D28). What each part answered, in their order.
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
