import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HistoryKind } from '@portal/contract/way.ts'

/** Finds the meaning of a status or stage. Null if the file does not explain it. */
export type StatusMeanings = (kind: HistoryKind, value: string) => string | null

const DEFAULT_FILE = join(import.meta.dirname, '../../status-meanings.txt')
const MEANING_LENGTH_MAX = 200
const SECTIONS: ReadonlyMap<string, HistoryKind> = new Map([
  ['[lead statuses]', 'lead-status'],
  ['[deal stages]', 'deal-stage'],
])

export async function readStatusMeanings(path: string = DEFAULT_FILE): Promise<StatusMeanings> {
  return parseStatusMeanings(await readFile(path, 'utf8'))
}

/** Throws an error with the number of the first line that cannot be read. */
export function parseStatusMeanings(text: string): StatusMeanings {
  const meanings: Record<HistoryKind, Map<string, string>> = { 'lead-status': new Map(), 'deal-stage': new Map() }
  let section: HistoryKind | undefined
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim()
    const refuse = (why: string) => new Error(`STATUS_MEANINGS: line ${index + 1}: ${why}`)
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('[')) {
      section = SECTIONS.get(line.toLowerCase())
      if (!section) throw refuse(`${line} is neither [Lead statuses] nor [Deal stages]`)
      continue
    }
    if (!section) throw refuse('[Lead statuses] or [Deal stages] must come first')
    const [, name, meaning] = /^([^:]+?)\s*:\s*(.+)$/.exec(line) ?? []
    if (name === undefined || meaning === undefined) throw refuse('must be a name, a colon and a meaning')
    if (meaning.length > MEANING_LENGTH_MAX)
      throw refuse(`may have at most ${MEANING_LENGTH_MAX} characters after the colon`)
    const key = name.toLowerCase()
    if (meanings[section].has(key)) throw refuse(`${name} has a line already`)
    meanings[section].set(key, meaning)
  }
  return (kind, value) => findMeaning(meanings[kind], value.toLowerCase())
}

/** A full name takes precedence over names with `*`. Of several names with `*`, the longest takes precedence. */
function findMeaning(meanings: ReadonlyMap<string, string>, value: string): string | null {
  const whole = meanings.get(value)
  if (whole !== undefined) return whole
  const fitting = [...meanings.keys()].filter((name) => name.endsWith('*') && value.startsWith(name.slice(0, -1)))
  const [longest] = fitting.toSorted((a, b) => b.length - a.length)
  return longest === undefined ? null : (meanings.get(longest) ?? null)
}
