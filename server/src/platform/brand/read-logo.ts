import { readFileSync, statSync } from 'node:fs'
import { crc32, inflateSync } from 'node:zlib'

export interface Logo {
  bytes: Buffer
  type: 'image/png' | 'image/svg+xml'
  /** Width by height; 1 where an SVG does not say. */
  aspect: number
  /** Whether it is so wide that it contains the name. */
  isWide: boolean
}

const BYTES_MAX = 200_000
const SIDE_MAX = 4_096
/** What the pixels of the largest picture take, before compression. */
const PIXEL_BYTES_MAX = 8 * SIDE_MAX * SIDE_MAX
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * Reads a logo (D115). Throws an error, which completes 'must …', if the file is too large or no picture, or if an SVG
 * could do more than show a picture.
 */
export function readLogo(path: string): Logo {
  const { size } = statSync(path)
  if (size > BYTES_MAX) throw new Error(`have at most ${BYTES_MAX / 1_000} kB, not ${Math.ceil(size / 1_000)} kB`)
  const bytes = readFileSync(path)
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) {
    return logoOf(bytes, 'image/png', checkPng(bytes))
  }
  return logoOf(bytes, 'image/svg+xml', checkSvg(bytes))
}

const WIDE = 1.8

function logoOf(bytes: Buffer, type: Logo['type'], aspect: number): Logo {
  return { bytes, type, aspect, isWide: aspect > WIDE }
}

/** Returns the picture's width by its height. */
function checkPng(bytes: Buffer): number {
  const broken = () => new Error('be a whole PNG picture, not a broken one')
  const data: Buffer[] = []
  let at = PNG_SIGNATURE.length
  let aspect = 1
  for (let position = 0; ; position++) {
    if (at + 12 > bytes.length) throw broken()
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 8 + length
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) throw broken()
    if ((position === 0) !== (name === 'IHDR')) throw broken()
    if (name === 'IHDR') {
      const [width, height] = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)]
      if (width === 0 || height === 0) throw broken()
      if (width > SIDE_MAX || height > SIDE_MAX) throw new Error(`have at most ${SIDE_MAX} pixels a side`)
      aspect = width / height
    }
    if (name === 'IDAT') data.push(bytes.subarray(at + 8, end))
    if (name === 'IEND') break
    at = end + 4
  }
  try {
    if (inflateSync(Buffer.concat(data), { maxOutputLength: PIXEL_BYTES_MAX }).length === 0) throw broken()
  } catch {
    throw broken()
  }
  return aspect
}

/** What makes an SVG more than a picture, in the words of the refusal. */
const NOT_A_PICTURE: readonly [pattern: RegExp, words: string][] = [
  [/<!(?:DOCTYPE|ENTITY)/i, 'no DOCTYPE'],
  [/<(?:[\w-]+:)?script\b/i, 'no script'],
  [
    /<(?:[\w-]+:)?(?:foreignObject|iframe|object|embed|audio|video|animate|set|handler|listener)\b/i,
    'only shapes and text',
  ],
  [/\son[a-z]+\s*=/i, 'no event handlers'],
  [/<\?xml-stylesheet|@import/i, 'no other style sheets'],
  [/javascript\s*:/i, 'no script in links'],
  [/\b(?:href|src)\s*=(?!\s*["']?\s*(?:#|data:image\/(?:png|jpeg|webp)[;,]))/i, 'no links to other files'],
  [/url\((?!\s*["']?\s*#)/i, 'no links to other files'],
]

function checkSvg(bytes: Buffer): number {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('be an SVG or PNG picture')
  }
  const content = text.replace(/<!--[\s\S]*?-->/g, '').replace(/^\uFEFF/, '')
  if (!/^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!DOCTYPE[^>]*>\s*)?<(?:\w+:)?svg[\s>]/i.test(content)) {
    throw new Error('be an SVG or PNG picture')
  }
  // What looks like a comment is none where a CDATA section or an instruction holds its beginning, so comments count too.
  const [, words] = NOT_A_PICTURE.find(([pattern]) => pattern.test(text)) ?? []
  if (words !== undefined) throw new Error(`be an SVG with ${words}`)
  if (!/xmlns(?::\w+)?\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(content) || !isBalanced(content)) {
    throw new Error('be a whole SVG picture, not a broken one')
  }
  const [, width, height] =
    /\sviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(content) ?? []
  const aspect = Number(width) / Number(height)
  return Number.isFinite(aspect) && aspect > 0 ? aspect : 1
}

/** Whether each element ends, in the right order, and nothing follows the first one. */
function isBalanced(content: string): boolean {
  const open: string[] = []
  let isOver = false
  let end = 0
  for (const tag of content.matchAll(
    /<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^"'<>])*?)(\/?)>/g,
  )) {
    const [whole, closes, name = '', , isEmpty] = tag
    const between = content.slice(end, tag.index)
    end = tag.index + whole.length
    if (/[<>]/.test(between) || (open.length === 0 && between.trim() !== '')) return false
    if (name === '') continue
    if (isOver) return false
    if (closes) {
      if (open.pop() !== name) return false
    } else if (!isEmpty) open.push(name)
    isOver = open.length === 0
  }
  return isOver && content.slice(end).trim() === ''
}
