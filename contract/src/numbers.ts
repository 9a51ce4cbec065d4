/**
 * Formats a whole number like `1,234`. It does not use the browser's own formatter, as dates do not: the first use of
 * that keeps a slow phone busy for a tenth of a second, in the middle of a first visit.
 */
export function formatNumber(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}
