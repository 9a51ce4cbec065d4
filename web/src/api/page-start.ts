import type { DefaultError, QueryClient, QueryExecuteOptions, QueryKey } from '@tanstack/react-query'

/** The input of a page's `start`, which begins the page's calls before the page is drawn. */
export interface PageStart {
  queryClient: QueryClient
  /** The search of the address, which the page parses. */
  search: Readonly<Record<string, string>>
  /** The parameter in the path, such as a LOID. */
  param: string
}

/** Starts a query and does not wait for it. If the query fails, the page shows the failure. */
export function startQuery<Data, Key extends QueryKey>(
  queryClient: QueryClient,
  options: QueryExecuteOptions<Data, DefaultError, Data, Data, Key>,
) {
  queryClient.query(options).catch(() => undefined)
}
