import { expect, test } from 'vitest'
import { loidFromBytes, parseLoid } from './loid.ts'

test.each([
  ['LO-7K3M9QXZ', 'LO-7K3M9QXZ'],
  ['lo-7k3m9qxz', 'LO-7K3M9QXZ'],
  ['lo7k3m9qxz', 'LO-7K3M9QXZ'],
  ['  LO-00000000 ', 'LO-00000000'],
  ['LO-7K3M9QX', null],
  ['LO-7K3M9QXZZ', null],
  ['LO–7K3M9QXZ', 'LO-7K3M9QXZ'],
  ['LO\u20117K3M9QXZ', 'LO-7K3M9QXZ'],
  ['LO\u22127K3M9QXZ', 'LO-7K3M9QXZ'],
  ['LO — 7K3M9QXZ', 'LO-7K3M9QXZ'],
  ['LO--7K3M9QXZ', 'LO-7K3M9QXZ'],
  ['lo 7k3m 9qxz', 'LO-7K3M9QXZ'],
  ['LO-7K3M-9QXZ', 'LO-7K3M9QXZ'],
  ['LO-7K3M9QXZ.', 'LO-7K3M9QXZ'],
  ['(LO-7K3M9QXZ)', 'LO-7K3M9QXZ'],
  ['LOID: LO-7K3M9QXZ', 'LO-7K3M9QXZ'],
  ['Loid lo 7k3m9qxz, please', 'LO-7K3M9QXZ'],
  ['“LO-7K3M9QXZ”', 'LO-7K3M9QXZ'],
  ['https://portal.example/leads/LO-7K3M9QXZ?x=1', 'LO-7K3M9QXZ'],
  ['ＬＯ－７Ｋ３Ｍ９ＱＸＺ', 'LO-7K3M9QXZ'],
  ['LO-7K3M\u200b9QXZ\ufeff', 'LO-7K3M9QXZ'],
  ['LO-7K3M\u00ad9QXZ', 'LO-7K3M9QXZ'],
  ['l0-7k3m9qxz', 'LO-7K3M9QXZ'],
  ['LO-OIL0O1L0', 'LO-01100110'],
  ['LO-UUUUUUUU', null],
  ['XX-7K3M9QXZ', null],
  ['HELLO-7K3M9QXZ', null],
  ['LO-7K3M9QXZé', null],
  ['LO_7K3M9QXZ', null],
  ['Lois Lane', null],
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
