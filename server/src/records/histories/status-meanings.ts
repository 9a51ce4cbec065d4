import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEAL_STAGES, LEAD_STATUSES } from '@portal/contract/choices.ts'
import { type HistoryKind, meaningOf, type Side } from '@portal/contract/meanings.ts'

/** What a status or stage means, or null if the file does not explain it, and whose turn it is. */
interface Meaning {
  meaning: string | null
  side: Side | null
}

export interface StatusMeanings {
  /** Finds out what a status or stage means. */
  (kind: HistoryKind, value: string): Meaning
  /** The specification's statuses and stages in which the partner has nothing to do. The lender's CRM may have others. */
  notPartnersTurn: Record<HistoryKind, readonly string[]>
}

const DEFAULT_FILE = join(import.meta.dirname, '../../../status-meanings.txt')
const MEANING_LENGTH_MAX = 200
/** `[your turn]` or `[lender's turn]` after a name overrides whose turn it is (D127). */
const TURN = /^(.*\S)\s*\[(?:(your)|lender['’]s) turn\]$/i
const SECTIONS: ReadonlyMap<string, HistoryKind> = new Map([
  ['[lead statuses]', 'lead-status'],
  ['[deal stages]', 'deal-stage'],
])

export async function readStatusMeanings(path: string = DEFAULT_FILE): Promise<StatusMeanings> {
  return parseStatusMeanings(await readFile(path, 'utf8'))
}

/** Throws an error with the number of the first line that cannot be read. */
export function parseStatusMeanings(text: string): StatusMeanings {
  const meanings: Record<HistoryKind, Map<string, Line>> = { 'lead-status': new Map(), 'deal-stage': new Map() }
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
    const [, bare = name, isYours] = TURN.exec(name) ?? []
    const key = bare.toLowerCase()
    if (meanings[section].has(key)) throw refuse(`${bare} has a line already`)
    meanings[section].set(key, { meaning, side: bare === name ? undefined : isYours ? 'partner' : 'lender' })
  }
  const find = (kind: HistoryKind, value: string): Meaning => {
    const line = findLine(meanings[kind], value.toLowerCase())
    return { meaning: line?.meaning ?? null, side: line?.side ?? meaningOf(kind, value).side }
  }
  const notPartnersTurn = {
    'lead-status': LEAD_STATUSES.filter((status) => find('lead-status', status).side !== 'partner'),
    'deal-stage': DEAL_STAGES.filter((stage) => find('deal-stage', stage).side !== 'partner'),
  }
  return Object.assign(find, { notPartnersTurn })
}

interface Line {
  meaning: string
  /** Undefined if the line does not say whose turn it is. */
  side: Side | undefined
}

/** A full name takes precedence over names with `*`. Of several names with `*`, the longest takes precedence. */
function findLine(meanings: ReadonlyMap<string, Line>, value: string): Line | undefined {
  const whole = meanings.get(value)
  if (whole !== undefined) return whole
  const fitting = [...meanings.keys()].filter((name) => name.endsWith('*') && value.startsWith(name.slice(0, -1)))
  const [longest] = fitting.toSorted((a, b) => b.length - a.length)
  return longest === undefined ? undefined : meanings.get(longest)
}
