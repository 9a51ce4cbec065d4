import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

export interface LendersText {
  text: string
  /** In hexadecimal, of the file as it is. */
  sha256: string
}

/** Reads a Markdown file of the lender. Throws an error that names the setting if the file cannot be used. */
export async function readLendersText(setting: string, path: string, lengthMax: number): Promise<LendersText> {
  const bytes = await readFile(path)
  const refuse = (why: string) => new Error(`${setting}: ${path} ${why}`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim()
  } catch {
    throw refuse('is not a text in UTF-8')
  }
  if (text.includes('\u0000')) throw refuse('is not a text in UTF-8')
  if (text === '') throw refuse('is empty')
  if (text.length > lengthMax) throw refuse(`has ${text.length} characters, but may have at most ${lengthMax}`)
  return { text, sha256: createHash('sha256').update(bytes).digest('hex') }
}
