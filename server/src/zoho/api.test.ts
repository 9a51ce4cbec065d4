import { expect, test } from 'vitest'
import { CrmUnavailable } from '../errors.ts'
import { itemsOf, openApi } from './api.ts'

function listAnswering(info: (page: number) => object) {
  let calls = 0
  const api = openApi({
    send: async () => ({ status: 200, body: { data: [{ id: '1' }], info: info(++calls) } }),
  })
  return { items: () => itemsOf(api.pages('Leads', {})), calls: () => calls }
}

test('a list that repeats its page token ends in CrmUnavailable', async () => {
  const list = listAnswering(() => ({ more_records: true, next_page_token: 'same' }))
  await expect(list.items()).rejects.toThrow(CrmUnavailable)
  expect(list.calls()).toBe(2)
})

test('a list whose numbered pages never end ends in CrmUnavailable', async () => {
  await expect(listAnswering(() => ({ more_records: true })).items()).rejects.toThrow(CrmUnavailable)
})
