import { expect, test } from 'vitest'
import { DEFAULT_FIELD_MAP, parseFieldMap } from './field-map.ts'

test('a map renames the modules and fields that it names and no others', () => {
  const map = parseFieldMap('{"deals":{"module":"Potentials","fields":{"stage":"Deal_Stage"}}}')
  expect(map.deals.module).toBe('Potentials')
  expect(map.deals.fields).toEqual({ ...DEFAULT_FIELD_MAP.deals.fields, stage: 'Deal_Stage' })
  expect(map.leads).toEqual(DEFAULT_FIELD_MAP.leads)
  expect(parseFieldMap('{"tasks":{"statuses":{"accepted":"Done"}}}').tasks.statuses).toEqual({
    sent: 'In Progress',
    accepted: 'Done',
  })
})

test.each([
  ['{', /not JSON/],
  ['[]', /the file/],
  ['{"lead":{}}', /lead/],
  ['{"leads":{"fields":{"amount":"Amount"}}}', /leads\.fields.*amount/],
  ['{"leads":{"fields":{"loid":"LOID\' or 1=1"}}}', /leads\.fields\.loid: must be a Zoho API name/],
  ['{"leads":{"fields":{"brand":"Phone"}}}', /leads\.fields: Phone is named twice/],
])('%s is refused with a message that says what is wrong', (json, message) => {
  expect(() => parseFieldMap(json)).toThrow(message)
})
