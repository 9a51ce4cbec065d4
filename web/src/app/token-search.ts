import type { RawSearch } from '../router/address.ts'
import { textOf } from './search-text.ts'

export interface TokenSearch {
  token?: string
}

/** The token in the address of a mailed link. */
export function tokenSearch(raw: RawSearch): TokenSearch {
  return { token: textOf(raw['token']) }
}
