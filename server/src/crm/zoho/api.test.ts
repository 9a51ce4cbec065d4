import { expect, test } from 'vitest'
import { CrmUnavailable } from '../../platform/errors.ts'
import { firstItemsOf, openApi } from './api.ts'

function listAnswering(info: (page: number) => object) {
  let calls = 0
  const api = openApi({
    send: async () => ({ status: 200, body: { data: [{ id: '1' }], info: info(++calls) } }),
  })
  return { items: (max = Infinity) => firstItemsOf(api.pages('Leads', {}), max), calls: () => calls }
}

test('a list that repeats its page token ends in CrmUnavailable', async () => {
  const list = listAnswering(() => ({ more_records: true, next_page_token: 'same' }))
  await expect(list.items()).rejects.toThrow(CrmUnavailable)
  expect(list.calls()).toBe(2)
})

test('a list with endless numbered pages ends in CrmUnavailable', async () => {
  await expect(listAnswering(() => ({ more_records: true })).items()).rejects.toThrow(CrmUnavailable)
})

test('reading the first items of a list requests no more pages than necessary', async () => {
  const list = listAnswering(() => ({ more_records: true }))
  expect(await list.items(3)).toHaveLength(3)
  expect(list.calls()).toBe(3)
})
