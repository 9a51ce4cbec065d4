import { ArrowLeft } from 'lucide-react'
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react'
import { Link } from '../router/link.tsx'
import { usePageTitle } from './tab-title.ts'

interface PageHeaderProps {
  title: string
  /** The title of the browser's tab, if it should say more than the heading. */
  tabTitle?: string
  description?: ReactNode
  /** A badge beside the title. */
  mark?: ReactNode
  actions?: ReactNode
  /** A `<BackLink>`. */
  back?: ReactNode
  /** What stands below the title and the actions, across the whole width. */
  children?: ReactNode
}

/**
 * The header of a page that has the sidebar beside it. Each of these pages has a header, even while it loads or after
 * it has failed, because navigation moves the focus to the heading.
 */
export function PageHeader({ title, tabTitle = title, description, mark, actions, back, children }: PageHeaderProps) {
  usePageTitle(tabTitle)
  const headingRef = useFocusPassedOn()
  return (
    <header className="mb-4 sm:mb-5">
      {back && <div className="mb-2 print:hidden">{back}</div>}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4 max-sm:items-center">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-3">
            <h1 ref={headingRef} tabIndex={-1} className="text-[1.375rem]/8 font-semibold wrap-anywhere">
              {title}
            </h1>
            {mark}
          </div>
          {description && <div className="mt-0.5 wrap-anywhere text-muted">{description}</div>}
        </div>
        {actions && (
          // On a phone, several buttons share one line evenly, and three or more have smaller type.
          <div className="flex flex-wrap items-center gap-2 print:hidden max-sm:has-[>:nth-child(2)]:w-full max-sm:has-[>:nth-child(2)]:*:grow max-sm:has-[>:nth-child(3)]:gap-1.5 max-sm:has-[>:nth-child(3)]:*:gap-1.5 max-sm:has-[>:nth-child(3)]:*:px-2.5 max-sm:has-[>:nth-child(3)]:*:text-[0.8125rem]">
            {actions}
          </div>
        )}
      </div>
      {children}
    </header>
  )
}

/**
 * When a page's outline is replaced by the page or its failure, the new heading takes over the focus from the old one.
 */
function useFocusPassedOn() {
  const ref = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    const heading = ref.current
    return () => {
      if (document.activeElement !== heading) return
      // When the microtask runs, the new heading has replaced the old one.
      queueMicrotask(() => {
        if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true })
      })
    }
  }, [])
  return ref
}

export function BackLink(props: ComponentProps<typeof Link>) {
  return (
    <Link
      {...props}
      className="-ml-1.5 inline-flex min-h-7 items-center gap-1.5 rounded-md px-1.5 text-[0.8125rem] font-medium text-muted hover:text-ink [&_svg]:size-3.5"
    >
      <ArrowLeft aria-hidden />
      {props.children}
    </Link>
  )
}
