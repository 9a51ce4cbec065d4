/** The base URL that partners' systems call. It is the same on every page and in every document. */
export function apiBaseUrl(publicUrl: string): string {
  return `${publicUrl}/api`
}
