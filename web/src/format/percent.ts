/** A fraction as a percentage with one decimal: 0.256 is `25.6%`. */
export function formatPercent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)}%`
}
