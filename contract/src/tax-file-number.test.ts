import { expect, test } from 'vitest'
import { showsTaxFileNumber } from './tax-file-number.ts'

test.each([
  ['TFN 123 456 782', true],
  ['his tax file number is 123-456-782.', true],
  ['123456782 (Tax File No)', true],
  ['tfn_123456782.pdf', true],
  ['Nkem TFN-123456782 2026.pdf', true],
  ['TFN 123\u00a0456\u00a0782', true],
  ['TFN 123\u2013456\u2013782', true],
  ['ＴＦＮ １２３４５６７８２', true],
  ['TFN 123 456 789', false],
  ['Call 123 456 782', false],
  ['TFN to follow. ABN 51 824 753 556', false],
  ['TFN to follow; card 1234567820', false],
  ['tax time: $123456.782', false],
  [`TFN${' '.repeat(80)}123456782`, false],
])('%s: %s', (text, shows) => {
  expect(showsTaxFileNumber(text)).toBe(shows)
})
