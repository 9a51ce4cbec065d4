import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { VIEW_NAME_LENGTH_MAX, VIEW_QUERY_LENGTH_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { inOneLine, lengthAtMost, requiredText, storable } from './text.ts'

/** The lists that have named views (D81). */
export const VIEWED_LISTS = ['leads', 'deals', 'activity'] as const
export const ViewedList = z.enum(VIEWED_LISTS, { error: `List must be one of: ${VIEWED_LISTS.join(', ')}` })
export type ViewedList = z.infer<typeof ViewedList>

const ViewName = requiredText('Name', VIEW_NAME_LENGTH_MAX).check(inOneLine('Name'))

/** An address of a list with a name. */
export const ListView = z.object({
  id: z.string(),
  list: ViewedList,
  name: z.string(),
  /** The address behind `?`, without the page. */
  query: z.string(),
  /** Everybody in the business sees a shared view. */
  is_shared: z.boolean(),
  is_mine: z.boolean(),
  /** Whether the caller's list opens with this view. */
  is_default: z.boolean(),
  owner_name: z.string(),
})
export type ListView = z.infer<typeof ListView>

/** The part of a list's address that a view keeps: all but the page and the view's own id, in alphabetical order. */
export function viewQuery(address: string): string {
  const params = new URLSearchParams(address)
  params.delete('page')
  params.delete('view')
  params.sort()
  return params.toString()
}

export const listViews = defineRoute({
  method: 'GET',
  path: '/dashboard/views',
  auth: 'session',
  least: 'viewer',
  answer: z.object({ views: z.array(ListView) }),
  summary: 'The caller’s own views of lists, and those that owners share, by name.',
})

export const createView = defineRoute({
  method: 'POST',
  path: '/dashboard/views',
  auth: 'session',
  least: 'viewer',
  body: z.object({
    list: ViewedList,
    name: ViewName,
    query: z
      .string({ error: 'Query is required' })
      .check(storable('Query'), z.overwrite(viewQuery), lengthAtMost('Query', VIEW_QUERY_LENGTH_MAX)),
  }),
  answer: ListView,
  summary: 'Keeps the address of a list under a name. It replaces a view of one’s own that has this name.',
})

export const changeView = defineRoute({
  method: 'PUT',
  path: '/dashboard/views/:id',
  auth: 'session',
  least: 'viewer',
  body: z.object({
    name: z.optional(ViewName),
    is_shared: z.optional(z.boolean({ error: 'Shared must be true or false' })),
    is_default: z.optional(z.boolean({ error: 'Default must be true or false' })),
  }),
  answer: ListView,
  summary:
    'Renames a view of one’s own, shares it, which only an owner may, or opens the caller’s list with it or no longer.',
})

export const removeView = defineRoute({
  method: 'DELETE',
  path: '/dashboard/views/:id',
  auth: 'session',
  least: 'viewer',
  answer: Nothing,
  summary: 'Removes a view of one’s own, for everybody who sees it.',
})
