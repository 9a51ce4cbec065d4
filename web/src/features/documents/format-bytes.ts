/** For example `820 KB` or `2.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`
  const kilobytes = bytes / 1_024
  if (kilobytes < 1_000) return `${Math.round(kilobytes)} KB`
  return `${(kilobytes / 1_024).toFixed(1)} MB`
}
