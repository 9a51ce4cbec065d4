/** Small enough that nobody waits long for a row, large enough that a million rows are gone soon. */
const ROWS_A_STATEMENT = 1_000

/** Calls `removeSome` until it removes less than a full batch, and adds up the numbers. */
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
