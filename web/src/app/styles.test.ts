import { readFileSync } from 'node:fs'
import axe from 'axe-core'
import { expect, test } from 'vitest'

interface Color {
  parseString(text: string): void
}
interface ColorTools {
  Color: new () => Color
  getContrast(ground: Color, ink: Color): number
}

// axe's types leave these tools out.
const { Color, getContrast }: ColorTools = Object(axe).commons.color
const styles = readFileSync(`${import.meta.dirname}/styles.css`, 'utf8')

const INKS = ['ink', 'muted', 'faint', 'brand-ink', 'primary-ink', 'success-ink', 'warning-ink', 'error-ink']
const GROUNDS = ['canvas', 'surface', 'raised', 'sunken', 'hover', 'changed']
const TINTS = ['brand-tint', 'primary-tint', 'success-tint', 'warning-tint', 'error-tint']
/** The backgrounds of white text. */
const BUTTONS = ['brand', 'brand-hover', 'danger', 'danger-hover']
/** The minimum contrast for small text (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5

const PAIRS = [
  ...INKS.flatMap((ink) => [...GROUNDS, ...TINTS].map((ground) => [ink, ground] as const)),
  ...BUTTONS.map((ground) => ['white', ground] as const),
  ['surface', 'ink'] as const,
]

test.each(['light', 'dark'] as const)('in the %s theme each text colour is readable on each background', (theme) => {
  const unreadable = PAIRS.map(([ink, ground]) => ({
    pair: `${ink} on ${ground}`,
    contrast: getContrast(read(ground, theme), read(ink, theme)),
  })).filter(({ contrast }) => contrast < CONTRAST_MIN)
  expect(unreadable).toEqual([])
})

/** Reads a named colour from the style sheet. */
function read(name: string, theme: 'light' | 'dark') {
  const values = new RegExp(`--${name}: light-dark\\((.*\\)), (.*)\\);`).exec(styles)
  const color = new Color()
  color.parseString(name === 'white' ? '#fff' : (values?.[theme === 'light' ? 1 : 2] ?? ''))
  return color
}
