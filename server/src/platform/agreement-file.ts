import { isPlainDate } from '@portal/contract/calendar.ts'
import { type LendersText, readLendersText } from './lenders-text.ts'

/** The text is without the head of its file, and the SHA-256 is of the whole file. */
export interface Agreement extends LendersText {
  version: string
  /** YYYY-MM-DD */
  requiredFrom: string
}

const LENGTH_MAX = 200_000
const VERSION_LENGTH_MAX = 50

/** Reads the lender's agreement (D113). Its head is lines of `name: value`, as in `version: 2`, between lines of `---`. */
export async function readAgreementFile(path: string | undefined): Promise<Agreement | undefined> {
  if (path === undefined) return undefined
  const { text: file, sha256 } = await readLendersText('AGREEMENT_FILE', path, LENGTH_MAX)
  const refuse = (why: string) => new Error(`AGREEMENT_FILE: ${path} ${why}`)
  const [, head, text = ''] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(file) ?? []
  if (head === undefined) throw refuse('must begin with a line ---, then version: and required_from:, then a line ---')
  const valueOf = (name: string) =>
    new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'm').exec(head)?.[1]?.replace(/^(["'])(.*)\1$/, '$2')
  const version = valueOf('version')
  const requiredFrom = valueOf('required_from')
  if (!version || version.length > VERSION_LENGTH_MAX) {
    throw refuse(`must have a line version: with up to ${VERSION_LENGTH_MAX} characters in its head`)
  }
  if (!requiredFrom || !isPlainDate(requiredFrom)) {
    throw refuse('must have a line required_from: with a date such as 2027-03-01 in its head')
  }
  if (text.trim() === '') throw refuse('has no text below its head')
  return { version, requiredFrom, text: text.trim(), sha256 }
}
