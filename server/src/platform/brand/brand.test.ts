import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pngOf } from '../../testing/png.ts'
import { readSettings } from '../config.ts'
import { contrast, paletteOf } from './colour.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'brand-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Grounds of the pages on which brand-coloured text stands, besides its own tint. */
const GROUNDS = { light: ['#ffffff', '#f2f3f6'], dark: ['#1d2026', '#23262e'] }

/** The least contrast of text in and on this colour, in both themes. */
function leastContrast(colour: string): number {
  const palette = paletteOf(colour)
  const pairs = (['light', 'dark'] as const).flatMap((theme, at) => {
    const value = (name: keyof typeof palette) => palette[name][at] ?? ''
    const grounds = [...GROUNDS[theme], value('brand-tint'), value('changed')]
    return [
      ...(['brand', 'brand-hover'] as const).map((fill) => contrast(value(fill), value('on-brand'))),
      ...grounds.map((ground) => contrast(ground, value('brand-ink'))),
    ]
  })
  return Math.min(...pairs)
}

const anyColour = fc.integer({ min: 0, max: 0xffffff }).map((colour) => `#${colour.toString(16).padStart(6, '0')}`)
const isTaken = (colour: string) => contrast(colour, '#ffffff') >= 3

test('with any colour that is taken, text can be read and buttons can be seen in both themes', () => {
  const isReadable = (colour: string) => {
    expect(leastContrast(colour)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(paletteOf(colour).brand[1], '#1d2028')).toBeGreaterThanOrEqual(3)
  }
  fc.assert(fc.property(anyColour.filter(isTaken), isReadable), {
    numRuns: 300,
    examples: [['#000000'], ['#0b2545'], ['#ff00c8'], ['#e8590c']],
  })
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20">'

async function startWith(name: string, content: string | Buffer) {
  const path = join(folder, name)
  await writeFile(path, content)
  return readSettings({ BRAND_LOGO: path }).brand.logo
}

test('a PNG and an SVG that are only pictures are taken', async () => {
  expect(await startWith('a.png', pngOf(30, 20, [1, 2, 3]))).toMatchObject({ type: 'image/png', aspect: 1.5 })
  const svg = `<?xml version="1.0"?><!-- a > b -->${SVG}<defs><path id="a" d="M0 0"/></defs><use href="#a" fill="url(#b)"/></svg>\n`
  expect(await startWith('a.svg', svg)).toMatchObject({ type: 'image/svg+xml', aspect: 4 })
})

test.each([
  [Buffer.alloc(2_000_000), /have at most 200 kB, not 2000 kB/],
  [pngOf(30, 20, [1, 2, 3]).subarray(0, 60), /be a whole PNG picture, not a broken one/],
  [pngOf(30, 20, [1, 2, 3]).fill(0, 45, 50), /be a whole PNG picture, not a broken one/],
  [pngOf(5_000, 1, [1, 2, 3]), /have at most 4096 pixels a side/],
  ['', /be an SVG or PNG picture/],
  ['<html><svg/></html>', /be an SVG or PNG picture/],
  [`${SVG}<script>alert(1)</script></svg>`, /be an SVG with no script/],
  [`${SVG}<![CDATA[<!--]]><script>alert(1)</script><![CDATA[-->]]></svg>`, /be an SVG with no script/],
  [`${SVG}<g onload="alert(1)"/></svg>`, /be an SVG with no event handlers/],
  [`${SVG}<a href="javascript:alert(1)"/></svg>`, /be an SVG with no script in links/],
  [`${SVG}<image href="https://evil.example/a.png"/></svg>`, /be an SVG with no links to other files/],
  [`${SVG}<style>a{background:url(//evil.example)}</style></svg>`, /be an SVG with no links to other files/],
  [`${SVG}<foreignObject/></svg>`, /be an SVG with only shapes and text/],
  [`<!DOCTYPE svg [<!ENTITY a "b">]>${SVG}</svg>`, /be an SVG/],
  [`${SVG}<g></svg>`, /be a whole SVG picture, not a broken one/],
  [`${SVG}</svg><svg/>`, /be a whole SVG picture, not a broken one/],
])('logo %# is refused in words at the start', async (content, message) => {
  await expect(startWith('logo', content)).rejects.toThrow(message)
})

test('a colour with too little contrast, and a dark logo alone, are refused in words at the start', () => {
  expect(() => readSettings({ BRAND_COLOUR: '#ffd400' })).toThrow(
    /^BRAND_COLOUR is "#ffd400", but must have a contrast of at least 3 with the white of the light theme, not 1\.4: a darker one such as #[0-9a-f]{6} has enough$/,
  )
  expect(() => readSettings({ BRAND_COLOUR: 'red' })).toThrow(/but must be a colour such as #1d4f91/)
  expect(() => readSettings({ BRAND_LOGO_DARK: import.meta.filename })).toThrow(
    /BRAND_LOGO_DARK is .*, but must be an SVG/,
  )
})
