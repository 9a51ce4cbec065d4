/**
 * Formats a whole number like `1,234`. It does not use `Intl.NumberFormat`, because the first use of `Intl` takes a
 * slow phone a tenth of a second, in the middle of a first visit.
 */
export function formatNumber(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}
