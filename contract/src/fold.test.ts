import { expect, test } from 'vitest'
import { fold } from './fold.ts'

test.each([
  ['Ngāti Whātua', 'NGATI WHATUA', 'Nga\u0304ti  Wha\u0304tua', 'ngati whatua'],
  ['O’Brien', "O'Brien", 'OʼBRIEN', 'Ｏ＇Ｂｒｉｅｎ', '“O`Brien”', 'obrien'],
  ['ʻOhana', 'OHANA', '\u200eohana\ufeff'],
  ['Smith–Jones', 'Smith-Jones', 'SMITH ‑ JONES', 'smith/jones', 'smith jones'],
  ['Straße', 'STRASSE', 'STRAẞE', 'strasse'],
  ['Łódź Ørsted', 'LODZ ORSTED', 'ｌｏｄｚ ｏｒｓｔｅｄ'],
  ['Đặng Æther Þór', 'dang aether thor'],
  ['İzmir Işık', 'IZMIR ISIK', 'ızmir isik'],
  ['Σίσυφος', 'ΣΊΣΥΦΟΣ', 'σισυφοσ'],
  [
    'Acme P/L',
    'Acme Pty Ltd',
    'ACME Pty. Limited',
    'Acme Proprietary Limited',
    'acme p／l',
    'Acme Pty-Ltd.',
    'acme pty ltd',
  ],
  ['مُحَمَّد', 'محمد'],
  ['ガ', 'か\u3099'.normalize('NFC').replace('が', 'カ')],
  ['co\u00adop', 'coop', 'co\u200bop'],
  ['한국 은행'.normalize('NFD'), '한국 은행'],
])('people see the same text in %s and the other spellings of it', (first, ...others) => {
  for (const other of others) expect([other, fold(other)]).toEqual([other, fold(first)])
})

test.each([
  ['a', 'b'],
  ['Limestone', 'Ltdstone'],
  ['P L Travers', 'Pty Ltd Travers'],
  ['simply', 'sim pty ltd y'],
  ['东', '西'],
])('%s and %s stay different', (one, other) => {
  expect(fold(one)).not.toBe(fold(other))
})
