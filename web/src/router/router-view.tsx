import { createContext, use, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import type { Location, RawSearch } from './address.ts'
import { Boundary } from './boundary.ts'
import type { Router, Shown } from './router.ts'
import { scrollAfter } from './scroll.ts'

const NowContext = createContext<{ router: Router; location: Location; shown: Shown } | undefined>(undefined)

interface RouterViewProps {
  router: Router
  /** Called after each drawing of a page. */
  onDrawn: (to: Location, from: Location | undefined) => void
}

/** Draws the open page, and the frame around it. */
export function RouterView({ router, onDrawn }: RouterViewProps) {
  const { location, shown } = useSyncExternalStore(router.subscribe, router.now)
  const drawn = useRef<Location>(undefined)

  useLayoutEffect(() => {
    const stop = router.listen()
    if (!router.now().shown) void router.load()
    return stop
  }, [router])

  useLayoutEffect(() => {
    if (!shown || shown.Page === router.Pending) return
    const from = drawn.current
    drawn.current = shown.location
    if (shown.location.state.key !== from?.state.key) scrollAfter(shown.location)
    onDrawn(shown.location, from)
  }, [router, shown, onDrawn])

  if (!shown) return null
  const { Frame, Page } = shown
  const page = (
    <Boundary shown={shown} Broken={router.Broken}>
      <Page />
    </Boundary>
  )
  return (
    <NowContext value={{ router, location, shown }}>
      <Boundary shown={shown} Broken={router.Broken}>
        {Frame ? <Frame>{page}</Frame> : page}
      </Boundary>
    </NowContext>
  )
}

function useNow() {
  const now = use(NowContext)
  if (!now) throw new Error('there is no router around this part')
  return now
}

export function useRouter(): Router {
  return useNow().router
}

export function useNavigate(): Router['navigate'] {
  return useRouter().navigate
}

/** The newest location, whose page may still be loading. */
export function useLocation(): Location {
  return useNow().location
}

/** The search of the page that is drawn, as `parse` reads it. */
export function useSearch<Search>(parse: (raw: RawSearch) => Search): Search {
  return parse(useNow().shown.location.search)
}

/** The parameter in the path of the page that is drawn. */
export function useParam(): string {
  return useNow().shown.param
}
