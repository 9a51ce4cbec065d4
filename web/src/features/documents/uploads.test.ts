import { renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { dropToken, storePersonId, storeToken } from '../../api/token.ts'
import { data, serve } from '../../testing/server.ts'
import { startUploads, useUploads } from './uploads.ts'

const LOID = 'LO-7K3M9QAZ'

afterEach(() => dropToken())

function signIn(person: string) {
  storePersonId(person)
  storeToken(`token of ${person}`)
}

test('a file whose name shows a tax file number is sent only when the person says so', async () => {
  const { seen } = serve({
    [`POST /crm/documents/${LOID}`]: () => ({ body: data({ document: { id: 'd0', state: 'uploading' }, parts: [0] }) }),
    'POST /crm/document/d0/complete': () => ({ body: data({ document: { name: 'tfn.pdf', state: 'pending' } }) }),
    'POST /auth/logout': () => ({ body: { success: true } }),
  })
  const { result } = renderHook(() => useUploads())
  const sent = vi.fn()
  signIn('ada')
  startUploads([new File(['words'], 'TFN 123 456 782.pdf')], { loid: LOID }, sent)
  await vi.waitFor(() => expect(result.current).toMatchObject([{ state: 'warned' }]))
  expect(seen).toEqual([])
  result.current[0]?.onSendAnyway?.()
  await vi.waitFor(() => expect(sent).toHaveBeenCalledWith('tfn.pdf', null))
})

test('files end with the session of the person who chose them, and the next person does not send them', async () => {
  const arriving = Promise.withResolvers<void>()
  const begin = () => ({ body: data({ document: { id: `d${++begun}`, state: 'uploading' }, parts: [] }) })
  let begun = 0
  const { seen } = serve({
    [`POST /crm/documents/${LOID}`]: begin,
    'PUT /crm/document/d1/parts': () => arriving.promise.then(() => ({ body: data({ parts: [0] }) })),
    'PUT /crm/document/d2/parts': () => ({ body: data({ parts: [0] }) }),
    'POST /crm/document/d2/complete': () => ({ body: data({ document: { name: 'b.txt', state: 'pending' } }) }),
    'POST /auth/logout': () => ({ body: { success: true } }),
  })
  const { result } = renderHook(() => useUploads())
  const sent = vi.fn()
  signIn('ada')
  startUploads([new File(['from Ada'], 'a.txt')], { loid: LOID }, sent)
  await vi.waitFor(() => expect(seen.map(({ path }) => path)).toContain('/crm/document/d1/parts'))
  dropToken()
  await vi.waitFor(() => expect(result.current).toEqual([]))
  signIn('bob')
  arriving.resolve()
  startUploads([new File(['from Bob'], 'b.txt')], { loid: LOID }, sent)
  await vi.waitFor(() => expect(sent).toHaveBeenCalledWith('b.txt', null))
  expect(sent).toHaveBeenCalledTimes(1)
  expect(seen.map(({ path }) => path)).not.toContain('/crm/document/d1/complete')
})
