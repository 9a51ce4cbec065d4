import { type ComponentProps, type MouseEvent, useLayoutEffect, useRef } from 'react'
import { type Destination, isAt } from './address.ts'
import { useLocation, useRouter } from './router-view.tsx'

/** A pointer that only crosses a link does not load its page. */
const HOVER_MS = 50

type LinkProps = Destination & Omit<ComponentProps<'a'>, 'href'>

/** A link within the app. Its page begins to load as soon as a person seems about to follow it. */
export function Link(props: LinkProps) {
  const { to: _to, param: _param, search: _search, hash: _hash, state: _state, onClick, children, ...rest } = props
  const router = useRouter()
  const location = useLocation()
  const hover = useRef<ReturnType<typeof setTimeout>>(undefined)
  const href = router.hrefOf(props)
  const preload = () => void router.preload(props)

  function handleClick(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain || rest.target) return
    event.preventDefault()
    void router.navigate(props)
  }

  return (
    <a
      aria-current={isAt(location, href) ? 'page' : undefined}
      {...rest}
      href={href}
      onClick={handleClick}
      onFocus={preload}
      onTouchStart={preload}
      onMouseEnter={() => {
        hover.current = setTimeout(preload, HOVER_MS)
      }}
      onMouseLeave={() => clearTimeout(hover.current)}
    >
      {children}
    </a>
  )
}

/** Replaces the page by another one as soon as this is drawn. */
export function Redirect(props: Destination) {
  const router = useRouter()
  const href = router.hrefOf(props)
  useLayoutEffect(() => void router.open(href, { replace: true }), [router, href])
  return null
}
