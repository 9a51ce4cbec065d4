/** The base URL that partners' systems call, on every page and in every document the same. */
export function apiBaseUrl(publicUrl: string): string {
  return `${publicUrl}/api`
}
