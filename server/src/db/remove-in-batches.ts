/**
 * The size of a batch: so few rows that no other statement waits long for a locked row, and so many that a million rows
 * are removed soon.
 */
const ROWS_A_STATEMENT = 1_000

/** Calls `removeSome` until it removes less than a full batch. Returns how many rows it removed in all. */
export async function removeInBatches(
  removeSome: (rowsMax: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  for (;;) {
    signal?.throwIfAborted()
    const some = await removeSome(ROWS_A_STATEMENT)
    removed += some
    if (some < ROWS_A_STATEMENT) return removed
  }
}
