/** `1 deal`, `1,204 deals`. */
export function formatCount(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : `${one}s`}`
}
