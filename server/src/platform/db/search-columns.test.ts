import { fold } from '@portal/contract/fold.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { searchColumns } from './search-columns.ts'

test('a text folds as its NFD form, its capitals and itself without marks do, and a folded text stays as it is', () => {
  const scripts = fc.oneof(
    fc.string({ unit: 'binary' }),
    // Letters of all scripts below the ideographs, where most marks and capitals are.
    fc.string({ unit: fc.integer({ min: 0x20, max: 0x2fff }).map((code) => String.fromCodePoint(code)) }),
  )
  const isFoundInEachForm = (text: string) => {
    const folded = fold(text)
    const decomposed = text.normalize('NFD')
    const others = [folded, decomposed, decomposed.replace(/\p{M}/gu, '')]
    // The capital of a Greek letter with an iota below it is two letters. Without its marks, the text has one of them.
    if (!decomposed.includes('\u0345')) others.push(text.toUpperCase())
    return others.every((other) => fold(other) === folded)
  }
  expect(fc.check(fc.property(scripts, isFoundInEachForm), { numRuns: 10_000 })).toMatchObject({ failed: false })
})

test('a row’s keys contain those of every text in it, and its text fits an entry of an index', () => {
  const row = {
    partner_id: '01a2159d-b891-7442-b293-8f8790bac618',
    loid: 'LO-7K3M9Q2X',
    phone: '+61 491 570 156',
    business_name: 'Ngāti Toa P/L',
    first_name: null,
    email: 'a@b.example',
    loan_type: 'Term Loan',
  }
  const [written, other, long] = [row.business_name, 'NGATI', '한'.repeat(5_000)].map((business_name) => {
    const named = { ...row, business_name }
    return searchColumns('leads', named)
  })
  expect(written?.search_fold).toBe('lo 7k3m9q2x lo7k3m9q2x 61491570156 ngati toa pty ltd a@b.example\nterm loan')
  expect(written?.search_keys).toEqual(expect.arrayContaining(other?.search_keys ?? []))
  expect(Buffer.byteLength(long?.search_fold ?? '')).toBeLessThanOrEqual(1_900)
})
