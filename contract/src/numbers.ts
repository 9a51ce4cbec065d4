/**
 * `1,234` of a whole number. Written out, as dates are: the first use of the browser's own formatter keeps a slow phone
 * busy for a tenth of a second, in the middle of a first visit.
 */
export function formatNumber(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}
