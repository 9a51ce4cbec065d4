import { expect, test } from 'vitest'
import { loidFromBytes, parseLoid } from './loid.ts'

test.each([
  ['LO-7K3M9QXZ', 'LO-7K3M9QXZ'],
  ['lo-7k3m9qxz', 'LO-7K3M9QXZ'],
  ['lo7k3m9qxz', 'LO-7K3M9QXZ'],
  ['  LO-00000000 ', 'LO-00000000'],
  ['LO-7K3M9QX', null],
  ['LO-7K3M9QXZZ', null],
  ['LO-IIIIIIII', null],
  ['LO-LLLLLLLL', null],
  ['LO-OOOOOOOO', null],
  ['LO-UUUUUUUU', null],
  ['XX-7K3M9QXZ', null],
  ['LO--7K3M9QXZ', null],
  ['', null],
])('parseLoid turns %j into %j', (text, loid) => {
  expect(parseLoid(text)).toBe(loid)
})

test('any eight bytes make a LOID that parseLoid accepts', () => {
  for (let i = 0; i < 256; i += 8) {
    const loid = loidFromBytes(Uint8Array.from({ length: 8 }, (_, k) => i + k))
    expect(parseLoid(loid.toLowerCase())).toBe(loid)
  }
})
