import type { QueryClient } from '@tanstack/react-query'

/**
 * The first part of the keys of queries about a mailed link. Their answers belong to the link and not to the person who
 * is signed in.
 */
export const LINK_KEY = 'link'

/**
 * Removes everything that was fetched for the person whose session ended. The page of a mailed link keeps its query: a
 * removed query would never tell the page the answer, and the link may work only once.
 */
export function forgetPerson(queryClient: QueryClient) {
  queryClient.removeQueries({ predicate: ({ queryKey: [first] }) => first !== LINK_KEY })
  queryClient.getMutationCache().clear()
}
