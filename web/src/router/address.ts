import type { Entry, HistoryState } from './history.ts'

/** Every path of the app with the search that its address may have. `app/paths.ts` declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: the app fills it
export interface Paths {}
export type Path = keyof Paths

/** The search as it stands in the address. Each page parses it. */
export type RawSearch = Readonly<Record<string, string>>

type To<P extends Path> = {
  to: P
  search?: Paths[P] | ((previous: RawSearch) => Paths[P])
} & (P extends `${string}$${string}` ? { param: string } : { param?: undefined })

/** Where a link or a redirect leads. */
export type Destination = { [P in Path]: To<P> }[Path] & {
  hash?: string
  /** What the new entry of the browser's history keeps for its page; `true` keeps what the present entry has. */
  state?: HistoryState | true | undefined
  /** Opens this address of the app instead. */
  href?: string | undefined
}

export type Location = Omit<Entry, 'search'> & { search: RawSearch }

export function locationOf({ search, hash, ...entry }: Entry): Location {
  return { ...entry, search: parseSearch(search), hash: hash.slice(1) }
}

/** The location of an address that is not open. */
export function locationAt(href: string): Location {
  const { pathname, search, hash } = new URL(href, window.location.href)
  return locationOf({ href, pathname, search, hash, state: { key: '', index: 0 } })
}

export function addressOf({ to, param, search, hash, href }: Destination, from: Location): string {
  if (href !== undefined) return href
  const path = to.replace(/\$\w+/, encodeURIComponent(param ?? ''))
  const values = typeof search === 'function' ? search(from.search) : search
  return path + stringifySearch({ ...values }) + (hash ? `#${hash}` : '')
}

/** A link stays marked on the pages below its own, and if the address has more search than the link. */
export function isAt(location: Location, href: string): boolean {
  const { pathname, search } = locationAt(href)
  const isWithin = location.pathname === pathname || location.pathname.startsWith(`${pathname}/`)
  return isWithin && Object.entries(search).every(([name, value]) => location.search[name] === value)
}

/** Keeps every value as text: a search for `0412` or `1e5` must not become a number. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
    if (text !== '') params.set(name, text)
  }
  return params.size > 0 ? `?${params}` : ''
}

/**
 * Returns what the table has for the first path that fits, and the path's parameter. A path has at most one. An address
 * that cannot be decoded fits none.
 */
export function matchPath<Found>(pathname: string, table: Readonly<Record<string, Found>>) {
  const parts = partsOf(pathname)
  for (const [path, found] of Object.entries(table)) {
    const wanted = partsOf(path)
    const at = wanted.findIndex((part) => part.startsWith('$'))
    const fits = (part: string, index: number) => index === at || part === parts[index]?.toLowerCase()
    if (wanted.length !== parts.length || !wanted.every(fits)) continue
    try {
      return { found, param: decodeURIComponent(parts[at] ?? '') }
    } catch {
      return undefined
    }
  }
  return undefined
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}
