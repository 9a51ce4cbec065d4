import { formatNumber } from '@portal/contract/numbers.ts'
/** For example `1 deal` or `1,204 deals`. */
export function formatCount(count: number, one: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : `${one}s`}`
}
