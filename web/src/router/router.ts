import type { QueryClient } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import type { PageStart } from '../api/page-start.ts'
import { addressOf, type Destination, type Location, locationAt, locationOf, matchPath, type Path } from './address.ts'
import { createHistory, type HistoryState } from './history.ts'
import { followScroll, keepScroll } from './scroll.ts'

declare module './history.ts' {
  interface HistoryState {
    /** The page stays scrolled as it is when the entry is new. */
    keepsScroll?: boolean
  }
}

export interface Visit {
  location: Location
  /** The page, or the frame around it, is open already. */
  isOpen: boolean
}

export type Guard = (visit: Visit) => Destination | undefined
type Drawn<Props = object> = (props: Props) => ReactElement | null
type Frame = Drawn<{ children: ReactNode }>
/** Begins the calls of a page or of a frame. */
type Start = (at: PageStart) => void

export interface PageCode {
  Page: Drawn
  start?: Start
}

interface FrameCode {
  Frame: Frame
  start: Start
}

export interface Route {
  /** The first one that returns a destination redirects to it. */
  guards: readonly Guard[]
  /** The same function for all pages that share the frame, which stays as it is between them. */
  loadFrame?: () => Promise<FrameCode>
  load: () => Promise<PageCode>
}

/** What is drawn. */
export interface Shown {
  location: Location
  route: Route
  param: string
  Frame: Frame | undefined
  Page: Drawn
}

export interface Now {
  /** The newest location, whose page may still be loading. */
  location: Location
  shown: Shown | undefined
}

interface Options {
  /** Paths are tried in this order. */
  routes: Readonly<Record<Path, Route>>
  /** Where an address leads that has no page. */
  fallback: Destination
  queryClient: QueryClient
  /** Shown while a page's code is loading for long. */
  Pending: Drawn
  /** Shown if a page's code does not load. */
  Broken: Drawn
}

interface NavigateOptions extends Pick<Destination, 'state'> {
  replace?: boolean | undefined
  resetScroll?: boolean | undefined
}

const PENDING_AFTER_MS = 1_000

export type Router = ReturnType<typeof createRouter>

export function createRouter({ routes, fallback, queryClient, Pending, Broken }: Options) {
  const history = createHistory()
  const ready = new Map<Route, PageCode & { Frame: Frame | undefined }>()
  const viewers = new Set<() => void>()
  let now: Now = { location: locationOf(history.now()), shown: undefined }
  let loading = Promise.resolve()
  let loads = 0

  function find(at: Location): { route: Route; param: string; redirect?: Destination | undefined } {
    const { found: route, param = '' } = matchPath(at.pathname, routes) ?? {}
    if (!route) return { route: routes[fallback.to], param, redirect: fallback }
    const open = now.shown?.route
    const isOpen = route === open || (route.loadFrame !== undefined && route.loadFrame === open?.loadFrame)
    const visit = { location: at, isOpen }
    const redirect = route.guards.reduce<Destination | undefined>((first, guard) => first ?? guard(visit), undefined)
    return { route, param, redirect }
  }

  function hrefOf(to: Destination): string {
    return addressOf(to, now.location)
  }

  function load(): Promise<void> {
    loading = show()
    return loading
  }

  async function show(): Promise<void> {
    const turn = ++loads
    const location = locationOf(history.now())
    const { route, param, redirect } = find(location)
    if (redirect) {
      void history.open(hrefOf(redirect), { state: keptOf(redirect.state), replaces: true, isForced: true })
      return loading
    }
    const { shown } = now
    tell({ location, shown })
    const draw = ({ Frame, Page }: Pick<Shown, 'Frame' | 'Page'>) => {
      if (turn !== loads) return
      if (now.shown && now.shown.location.state.key !== location.state.key) keepScroll(now.shown.location)
      tell({ location, shown: { location, route, param, Frame, Page } })
    }
    const Frame = route.loadFrame === shown?.route.loadFrame ? shown?.Frame : undefined
    const timer = setTimeout(() => draw({ Frame, Page: Pending }), PENDING_AFTER_MS)
    const code = ready.get(route) ?? (await loadCode(route))
    clearTimeout(timer)
    if (turn === loads) code.start?.({ queryClient, search: location.search, param })
    draw(code)
  }

  async function loadCode(route: Route): Promise<PageCode & { Frame: Frame | undefined }> {
    const [frame, page] = await Promise.allSettled([route.loadFrame?.(), route.load()])
    const Frame = frame.status === 'fulfilled' ? frame.value?.Frame : undefined
    if (frame.status === 'rejected' || page.status === 'rejected') return { Frame, Page: Broken }
    const starts = [page.value.start, frame.value?.start]
    const start: Start = (at) => {
      for (const begin of starts) begin?.(at)
    }
    const code = { Frame, Page: page.value.Page, start }
    ready.set(route, code)
    return code
  }

  function tell(next: Now) {
    now = next
    for (const view of viewers) view()
  }

  /** Opens an address of the app. If no page asks the person before, the promise resolves when the page is shown. */
  function open(href: string, { state, replace, resetScroll }: NavigateOptions = {}): Promise<void> {
    void history.open(href, {
      state: { ...keptOf(state), keepsScroll: resetScroll === false },
      replaces: replace || href === now.location.href,
    })
    return loading
  }

  function keptOf(state: Destination['state']): HistoryState | undefined {
    return state === true ? now.location.state : state
  }

  const handleChange = () => void load()

  return {
    queryClient,
    Pending,
    Broken,
    now: () => now,
    open,
    navigate: (to: Destination & NavigateOptions) => open(hrefOf(to), to),
    /** Shows the page of the address. The guards decide again if it is open already. */
    load,
    back: history.back,
    block: history.block,
    hrefOf,
    /** Loads the code of a page and begins its calls, unless it would redirect. */
    async preload(to: Destination): Promise<void> {
      const at = locationAt(hrefOf(to))
      const { route, param, redirect } = find(at)
      if (redirect) return
      const code = ready.get(route) ?? (await loadCode(route))
      code.start?.({ queryClient, search: at.search, param })
    },
    /** Follows the browser's history. Calling it twice does no harm. */
    listen(): () => void {
      const stopFollowing = history.follow(handleChange)
      const stopScroll = followScroll(() => now.shown?.location)
      return () => {
        stopFollowing()
        stopScroll()
      }
    },
    /** Calls the function when `now` changes. */
    subscribe(view: () => void): () => void {
      viewers.add(view)
      return () => viewers.delete(view)
    },
  }
}
