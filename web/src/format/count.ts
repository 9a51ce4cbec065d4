import { LIST_TOTAL_MAX, PAGE_SIZE } from '@portal/contract/limits.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
/** For example `1 deal` or `1,204 deals`. */
export function formatCount(count: number, one: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : `${one}s`}`
}

/** The total of a list, which is counted up to a maximum: `5,231` or `10,000+` (D80). */
export function listTotalText(total: number): string {
  return total > LIST_TOTAL_MAX ? `${formatNumber(LIST_TOTAL_MAX)}+` : formatNumber(total)
}

/** All rows of a list, in a sentence. A sorted search has only its newest rows. */
export function allRowsText(total: number, isSearch: boolean): string {
  const isCut = isSearch && total > LIST_TOTAL_MAX
  return isCut ? `the newest ${formatNumber(LIST_TOTAL_MAX)}` : `all ${listTotalText(total)}`
}

/** For example `21–40 of 5,231`, or `41 of 41`. */
export function pageRangeText(page: number, rows: number, total: number): string {
  const first = (page - 1) * PAGE_SIZE + 1
  const last = rows > 1 ? `–${formatNumber(first + rows - 1)}` : ''
  return `${formatNumber(first)}${last} of ${listTotalText(total)}`
}

/** The last page of a list. Undefined if the list has more rows than are counted. */
export function lastPageOf(total: number): number | undefined {
  return total > LIST_TOTAL_MAX ? undefined : Math.ceil(total / PAGE_SIZE)
}
