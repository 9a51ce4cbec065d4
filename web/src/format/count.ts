import { formatNumber } from '@portal/contract/numbers.ts'
/** `1 deal`, `1,204 deals`. */
export function formatCount(count: number, one: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : `${one}s`}`
}
