/** A colour's lightness (0 to 1), chroma and hue in OKLCH. */
interface Oklch {
  l: number
  c: number
  h: number
}

/** The values of a named colour of the pages in the light and in the dark theme, as `#rrggbb`. */
type Themed = readonly [light: string, dark: string]

/** The colours that depend on the brand's, by the names that web/src/app/styles.css gives them. */
export type Palette = Record<
  | 'mark'
  | 'mark-dot'
  | 'panel'
  | 'brand'
  | 'on-brand'
  | 'brand-hover'
  | 'brand-ink'
  | 'brand-tint'
  | 'changed'
  | 'ring',
  Themed
>

/** The least contrast of small text with its ground, and of a button with the page (WCAG 2.2, 1.4.3 and 1.4.11). */
const TEXT_MIN = 4.5
const BUTTON_MIN = 3
/** A colour is rounded, so it is chosen with a little more contrast. */
const MARGIN = 0.15
/** The lightest ground of the light theme, and the lightest of the dark theme's cards. */
const WHITE = '#ffffff'
const BLACK = '#000000'
const DARK_SURFACE = '#1d2028'

/**
 * Derives the colours of both themes from the lender's one (D115). The light theme has the colour as it is. The dark
 * theme has a lighter one if it needs one. Text on it is white or black, and text in it is darker or lighter, as the
 * contrast demands. Throws an error, which completes 'must …', if buttons in this colour would hardly be seen.
 */
export function paletteOf(colour: string): Palette {
  const own = toOklch(colour)
  const onWhite = contrast(colour, WHITE)
  if (onWhite < BUTTON_MIN) {
    const better = lightUntil(own, -1, (one) => contrast(one, WHITE) >= BUTTON_MIN + MARGIN)
    throw new Error(
      `have a contrast of at least ${BUTTON_MIN} with the white of the light theme, not ${onWhite.toFixed(1)}: a darker one such as ${better} has enough`,
    )
  }
  const dark = lightUntil(own, 1, (one) => contrast(one, DARK_SURFACE) >= BUTTON_MIN)
  const tint: Themed = [shade(own, 0.958, 0.02), shade(own, 0.29, 0.065)]
  const hoverOf = (fill: string) => {
    const { l, c, h } = toOklch(fill)
    return toHex({ l: textOn(fill) === WHITE ? l - 0.055 : l + 0.045, c, h })
  }
  return {
    mark: [colour, dark],
    panel: [shade(own, 0.25, 0.08), shade(own, 0.25, 0.08)],
    'mark-dot': [textOn(colour), textOn(dark)],
    brand: [colour, dark],
    'on-brand': [textOn(colour), textOn(dark)],
    'brand-hover': [hoverOf(colour), hoverOf(dark)],
    'brand-ink': [
      lightUntil({ ...own, l: Math.min(own.l, 0.5) }, -1, (one) => contrast(one, tint[0]) >= TEXT_MIN + 0.5),
      lightUntil({ ...own, l: 0.76, c: Math.min(own.c, 0.12) }, 1, (one) => contrast(one, tint[1]) >= TEXT_MIN + 2),
    ],
    'brand-tint': tint,
    changed: [shade(own, 0.965, 0.018), shade(own, 0.27, 0.04)],
    ring: [toHex({ ...own, l: Math.min(own.l, 0.58) }), shade(own, 0.7, 0.14)],
  }
}

/** White where it can be read, because the pages use it by default; otherwise black, which then can. */
function textOn(fill: string): string {
  return contrast(fill, WHITE) >= TEXT_MIN ? WHITE : BLACK
}

/** The first colour that is good enough, in small steps of lightness up or down. */
function lightUntil({ l, c, h }: Oklch, direction: 1 | -1, isEnough: (hex: string) => boolean): string {
  for (let lightness = l; lightness > 0 && lightness < 1; lightness += direction * 0.005) {
    const hex = toHex({ l: lightness, c, h })
    if (isEnough(hex)) return hex
  }
  return direction === 1 ? WHITE : BLACK
}

function shade({ c, h }: Oklch, l: number, chromaMax: number): string {
  return toHex({ l, c: Math.min(c, chromaMax), h })
}

/** The contrast of two colours as WCAG defines it, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [r, g, b] = linearOf(hex)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

type Triple = [number, number, number]

function linearOf(hex: string): Triple {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

// The conversions are Björn Ottosson's (https://bottosson.github.io/posts/oklab/).
function toOklch(hex: string): Oklch {
  const [r, g, b] = linearOf(hex)
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const blue = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return { l, c: Math.hypot(a, blue), h: Math.atan2(blue, a) }
}

/** The nearest colour that a screen can show: the chroma shrinks until it can. */
function toHex({ l, c, h }: Oklch): string {
  for (let chroma = c; ; chroma -= 0.004) {
    const rgb = linear({ l, c: Math.max(chroma, 0), h })
    if (chroma <= 0 || rgb.every((value) => value > -0.001 && value < 1.001)) return hexOf(rgb)
  }
}

function linear({ l, c, h }: Oklch): Triple {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)]
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}

function hexOf(rgb: Triple): string {
  const channels = rgb.map((value) => {
    const kept = Math.min(1, Math.max(0, value))
    const encoded = kept <= 0.0031308 ? 12.92 * kept : 1.055 * kept ** (1 / 2.4) - 0.055
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${channels.join('')}`
}
