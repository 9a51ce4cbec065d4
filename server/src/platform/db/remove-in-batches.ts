/**
 * The size of a batch. It is small enough that no other statement waits long for a locked row, and large enough that a
 * million rows are removed quickly.
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
