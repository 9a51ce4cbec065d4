import type { DefaultError, QueryClient, QueryExecuteOptions, QueryKey } from '@tanstack/react-query'

/** What a page's loader is given to begin the page's calls with, while the page is still on its way. */
export interface PageStart<Deps = unknown, Params = unknown> {
  context: { queryClient: QueryClient }
  deps: Deps
  params: Params
}

/** Nobody waits for it here. What goes wrong is said by the page. */
export function startQuery<Data, Key extends QueryKey>(
  queryClient: QueryClient,
  options: QueryExecuteOptions<Data, DefaultError, Data, Data, Key>,
) {
  queryClient.query(options).catch(() => undefined)
}
