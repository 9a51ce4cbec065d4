import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

const FOLDER = join(import.meta.dirname, '../../.cache/fonts')

/** The first and last characters of ranges that cover the visible characters of the unicode-range in styles.css. */
const LATIN = [
  [0x20, 0xff],
  [0x131, 0x131],
  [0x152, 0x153],
  [0x2bb, 0x2bc],
  [0x2c6, 0x2c6],
  [0x2da, 0x2da],
  [0x2dc, 0x2dc],
  [0x304, 0x304],
  [0x308, 0x308],
  [0x329, 0x329],
  [0x2000, 0x206f],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
  [0x2191, 0x2193],
  [0x2212, 0x2215],
  [0xfeff, 0xfeff],
  [0xfffd, 0xfffd],
] as const

const LATIN_FILE = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const LATIN_EXT_FILE = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2')

/**
 * The source file of each font, and the characters that the font keeps. A font without `text` keeps all characters of
 * its file.
 */
const FONTS = [
  { name: 'latin', file: LATIN_FILE, text: LATIN.map(charactersOf).join('') },
  // A few kilobytes for Māori names, instead of the whole next font.
  { name: 'maori', file: LATIN_EXT_FILE, text: 'āēīōūĀĒĪŌŪ' },
  { name: 'latin-ext', file: LATIN_EXT_FILE },
]

/** The weights from normal text to headings. */
const variationAxes = { wght: { min: 400, max: 600 } }
/** OpenType features: tabular figures, the plainer l, contextual arrows, and mark positions. */
const keepFeatures = ['tnum', 'cv11', 'calt', 'kern', 'ccmp', 'locl', 'mark', 'mkmk']

/**
 * Makes `@fonts/<name>.woff2`: Inter with only the weights, features and characters that the app uses, half the size of
 * the whole font.
 */
export function fonts(): Plugin {
  return {
    name: 'fonts',
    async config(_config, { mode }) {
      if (mode === 'test') return
      await mkdir(FOLDER, { recursive: true })
      for (const { name, file, text } of FONTS) {
        const whole = await readFile(fileURLToPath(file))
        const options = { targetFormat: 'woff2', keepAllGlyphs: text === undefined, variationAxes, keepFeatures }
        await writeFile(join(FOLDER, `${name}.woff2`), await subsetFont(whole, text, options))
      }
      return { resolve: { alias: { '@fonts': FOLDER } } }
    },
  }
}

function charactersOf([first, last]: readonly [number, number]): string {
  return Array.from({ length: last - first + 1 }, (_, offset) => String.fromCodePoint(first + offset)).join('')
}
