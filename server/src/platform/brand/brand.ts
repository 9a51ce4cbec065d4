import type { Palette } from './colour.ts'
import type { Logo } from './read-logo.ts'

/** What the portal wears (D115). Without a logo and a palette, it has its own mark and colours. */
export interface Brand {
  name: string
  logo?: Logo | undefined
  /** For the dark theme, if it has another one. */
  logoDark?: Logo | undefined
  palette?: Palette | undefined
}

/** Where the pages find what the lender has chosen. */
export const LOGO_PATH = '/brand/logo'
export const LOGO_DARK_PATH = '/brand/logo-dark'

/** The style that gives the pages the lender's colours. Its selector outweighs the `:root` of the later style sheet. */
export function coloursOf(palette: Palette): string {
  const values = Object.entries(palette).map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`)
  return `html:root{${values.join(';')}}`
}
