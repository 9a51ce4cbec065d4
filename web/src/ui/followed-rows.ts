import { useState } from 'react'

interface Identified {
  id: string
}

interface Following {
  /** Identifies the page, filter and order of the list. Another scope has other rows. */
  scope: string
  /** Whether rows may move, because the person asked for new rows or is not pointing at the list. */
  isAsking: boolean
  /** Rows may also move during the fetch that follows a new scope, because that fetch brings the rows of the scope. */
  isFetching: boolean
}

interface Waiting {
  added: number
  gone: number
  isReordered: boolean
}

export interface FollowedRows<Row> {
  rows: readonly Row[]
  /** For each row's id, how often the row has changed while it was shown. */
  changes: ReadonlyMap<string, number>
  /** The changes that are held back, or undefined. */
  waiting: Waiting | undefined
  showAll: () => void
}

const NO_CHANGES: ReadonlyMap<string, number> = new Map()

/**
 * Keeps rows in their positions while other people change them, so that nothing moves under the pointer. The content of
 * a row is updated at once. Changes that would move rows wait until `showAll` is called, or until the person asks for
 * new rows.
 */
export function useFollowedRows<Row extends Identified>(
  rows: readonly Row[],
  { scope, isAsking, isFetching }: Following,
): FollowedRows<Row> {
  const [held, setHeld] = useState({ scope, rows, shown: rows, changes: NO_CHANGES, mayMove: true })
  const isOther = scope !== held.scope
  const mayMove = isAsking || (isFetching && (held.mayMove || isOther))

  if (isOther) setHeld({ scope, rows, shown: rows, changes: NO_CHANGES, mayMove })
  else if (!isSame(rows, held.rows) || (isAsking && held.shown !== held.rows)) {
    const mayMoveNow = held.mayMove || mayMove
    const shown = mayMoveNow || held.shown.length === 0 ? rows : inPlace(held.shown, rows)
    // Rows of another page do not count as changes.
    const changes = mayMoveNow && !isAsking ? NO_CHANGES : countChanges(held, shown)
    setHeld({ scope, rows, shown, changes, mayMove })
  } else if (mayMove !== held.mayMove) setHeld({ ...held, mayMove })

  return {
    rows: held.shown,
    changes: held.changes,
    waiting: waitingOf(held.shown, held.rows),
    showAll: () => setHeld({ ...held, shown: held.rows, changes: countChanges(held, held.rows) }),
  }
}

function isSame<Row>(some: readonly Row[], others: readonly Row[]): boolean {
  return some === others || JSON.stringify(some) === JSON.stringify(others)
}

/** Updates the shown rows without moving them. A row that is missing from the new rows keeps its old content. */
function inPlace<Row extends Identified>(shown: readonly Row[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return shown.map((row) => byId.get(row.id) ?? row)
}

/** Counts the changes of each row. A new row counts as changed, unless no rows were shown before. */
function countChanges<Row extends Identified>(
  { shown: before, changes }: { shown: readonly Row[]; changes: ReadonlyMap<string, number> },
  shown: readonly Row[],
): ReadonlyMap<string, number> {
  if (before.length === 0) return changes
  const byId = new Map(before.map((row) => [row.id, JSON.stringify(row)]))
  const changed = shown.filter((row) => byId.get(row.id) !== JSON.stringify(row))
  return new Map([...changes, ...changed.map(({ id }): [string, number] => [id, (changes.get(id) ?? 0) + 1])])
}

/** The changes that are held back. A row does not count as gone if a new row pushed it off the page. */
function waitingOf(shown: readonly Identified[], rows: readonly Identified[]): Waiting | undefined {
  const ids = new Set(rows.map(({ id }) => id))
  const shownIds = new Set(shown.map(({ id }) => id))
  const added = rows.filter(({ id }) => !shownIds.has(id)).length
  const gone = Math.max(0, shown.filter(({ id }) => !ids.has(id)).length - added)
  const isReordered = added === 0 && gone === 0 && rows.some(({ id }, place) => shown[place]?.id !== id)
  return added > 0 || gone > 0 || isReordered ? { added, gone, isReordered } : undefined
}
