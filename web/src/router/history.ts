/** What an entry of the browser's history keeps for its page. The app and the router fill it. */
// biome-ignore lint/suspicious/noEmptyInterface: the app fills it
export interface HistoryState {}

/** An entry's own name, and its position among the entries of this visit. */
interface Place {
  key: string
  index: number
}

/** An entry of the browser's history. Its address begins with one slash, so it can lead to no other origin. */
export interface Entry {
  href: string
  pathname: string
  search: string
  hash: string
  state: HistoryState & Place
}

/** The questions before a person leaves a page. */
export interface Blocker {
  /** Whether the person stays. May wait for their answer. */
  blocks: () => Promise<boolean>
  /** Whether the browser itself asks before a reload or before the tab closes. */
  blocksUnload: () => boolean
}

interface Change {
  state?: HistoryState | undefined
  replaces?: boolean | undefined
  /** Opens the address whatever the blockers say. */
  isForced?: boolean
}

/** The entries of the browser's history. */
export function createHistory() {
  const followers = new Set<() => void>()
  const blockers = new Set<Blocker>()
  let entry = presentEntry(0)
  /** The browser is on its way back to the page's entry, because the person has stayed. */
  let isReturning = false

  async function isBlocked(): Promise<boolean> {
    for (const { blocks } of blockers) if (await blocks()) return true
    return false
  }

  function tell(next: Entry) {
    entry = next
    for (const follow of followers) follow()
  }

  async function handlePop() {
    if (isReturning) {
      isReturning = false
      return
    }
    const next = presentEntry(entry.state.index + 1)
    if (blockers.size > 0 && (await isBlocked())) {
      isReturning = true
      window.history.go(entry.state.index - next.state.index)
    } else tell(next)
  }

  function handleUnload(event: BeforeUnloadEvent) {
    if ([...blockers].some(({ blocksUnload }) => blocksUnload())) event.preventDefault()
  }

  window.addEventListener('popstate', () => void handlePop())
  window.addEventListener('beforeunload', handleUnload)

  return {
    now: () => entry,
    /** Opens an address of the app, at once if no blocker asks the person. */
    async open(href: string, { state, replaces, isForced }: Change = {}): Promise<void> {
      if (!isForced && blockers.size > 0 && (await isBlocked())) return
      const { index } = entry.state
      const kept = { ...state, key: newKey(), index: replaces ? index : index + 1 }
      if (replaces) window.history.replaceState(kept, '', href)
      else window.history.pushState(kept, '', href)
      tell(presentEntry(kept.index))
    },
    back: () => window.history.back(),
    /** Calls the function when another entry is open. Returns a function that ends this. */
    follow(follower: () => void): () => void {
      followers.add(follower)
      return () => followers.delete(follower)
    },
    /** Asks the blocker before another entry opens. Returns a function that ends this. */
    block(blocker: Blocker): () => void {
      blockers.add(blocker)
      return () => blockers.delete(blocker)
    },
  }
}

/** The open entry. An entry that the app has not made, such as that of a link to an anchor, gets its place here. */
function presentEntry(indexIfNew: number): Entry {
  const kept: Partial<Entry['state']> | null = window.history.state
  const state = { ...kept, key: kept?.key ?? newKey(), index: kept?.index ?? indexIfNew }
  if (kept?.index === undefined) window.history.replaceState(state, '')
  const { search, hash } = window.location
  const pathname = window.location.pathname.replace(/^\/+/, '/')
  return { href: pathname + search + hash, pathname, search, hash, state }
}

function newKey(): string {
  return Math.random().toString(36).slice(2)
}
