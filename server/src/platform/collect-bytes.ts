import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Each byte of a file is copied two to four times on its way. */
const COLLECT_AFTER_BYTES = 2 * 1024 * 1024

let collect: ((options: { type: 'minor' }) => void) | undefined
let passed = 0

/**
 * Counts bytes of files that pass through this process, and every few megabytes collects the memory of those that have
 * passed, because V8 would let a process grow by 100 MB first (docs/decisions/memory.md).
 */
export function countBytes(count: number): void {
  passed += count
  if (passed < COLLECT_AFTER_BYTES) return
  passed = 0
  collect ??= openCollector()
  collect({ type: 'minor' })
}

/** Takes some milliseconds, which a start need not wait for. */
function openCollector() {
  setFlagsFromString('--expose-gc')
  // oxlint-disable-next-line typescript/consistent-type-assertions -- Node has no other way to the collector of young memory
  return runInNewContext('gc') as (options: { type: 'minor' }) => void
}
