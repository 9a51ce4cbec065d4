import { cleanText } from '@portal/contract/clean-text.ts'
import { cutText } from '../../platform/cut-text.ts'

const GIVEN_LENGTH_MAX = 300
const NAME_LENGTH_MAX = 120
const SUBJECT_LENGTH_MAX = 100
/** The extensions of the files that the portal accepts. */
const KNOWN = new Set(['pdf', 'jpg', 'jpeg', 'png', 'heic', 'heif', 'webp', 'docx', 'xlsx', 'txt', 'csv'])
/** Windows takes these for devices, whatever follows the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]) *(?:\.|$)/i

/** A name without a path, invisible characters and characters that file systems or headers give a meaning. */
export function plainName(given: string): string {
  const plain = cleanText(given.toWellFormed())
    .replace(/^[^]*[/\\]/, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
  return cutText(plain, GIVEN_LENGTH_MAX).replace(/[. ]+$/, '') || 'document'
}

/**
 * A plain name that ends in one of the extensions, the first if it has none of them, so that a name never says that a file
 * is of another type.
 */
export function documentName(given: string, extensions: readonly [string, ...string[]]): string {
  const [, stem = '', own = ''] = /^([^]*?)(?:\.([A-Za-z\d]{1,8}))?$/.exec(plainName(given)) ?? []
  const extension = own.toLowerCase()
  const isRight = extensions.includes(extension)
  const kept = isRight || KNOWN.has(extension) || own === '' ? stem : `${stem}.${own}`
  const trimmed = kept.replace(/^[. ]+|[. ]+$/g, '')
  const ending = isRight ? own : extensions[0]
  const name = cutText(trimmed === '' ? 'document' : trimmed, NAME_LENGTH_MAX - ending.length - 1).replace(/[. ]+$/, '')
  return `${RESERVED.test(name) ? '_' : ''}${name}.${ending}`
}

const TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
}

/** The type that the name of one of the lender's files says, which nobody has checked. */
export function typeOfName(name: string): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream'
}

/** The name in the CRM: with what the lender asked before it, and unlike the names that are there (D102, D105). */
export function nameInCrm(name: string, subject: string | undefined, taken: readonly string[]): string {
  const asked =
    subject && documentName(`${cutText(subject.replace(/[/\\]/g, '-'), SUBJECT_LENGTH_MAX)}.pdf`, ['pdf']).slice(0, -4)
  const whole = asked ? `${asked} – ${name}` : name
  const [, stem = whole, extension = ''] = /^([^]*)(\.[^.]+)$/.exec(whole) ?? []
  const known = new Set(taken.map((one) => one.toLowerCase()))
  for (let count = 1; ; count++) {
    const unique = count === 1 ? whole : `${stem} (${count})${extension}`
    if (!known.has(unique.toLowerCase())) return unique
  }
}
