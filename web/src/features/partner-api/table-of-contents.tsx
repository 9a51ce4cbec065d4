import { clsx } from 'clsx'
import { useEffect, useState } from 'react'

interface Entry {
  id: string
  title: string
}

interface TableOfContentsProps {
  parts: readonly (Entry & { items?: readonly Entry[] })[]
}

/** Stays beside the parts, and marks the part that the person is reading. Only wide screens show it. */
export function TableOfContents({ parts }: TableOfContentsProps) {
  const entries = parts.flatMap(({ id, items = [] }) => [id, ...items.map((item) => item.id)])
  const current = useCurrentPart(entries.join(' '))
  return (
    <nav
      aria-label="On this page"
      className="sticky top-22 max-h-[calc(100dvh-7rem)] self-start overflow-y-auto text-[0.8125rem] max-xl:hidden"
    >
      <p className="mb-2 font-medium">On this page</p>
      <ul className="ml-px border-l border-line">
        {parts.map(({ items = [], ...part }) => (
          <li key={part.id}>
            <EntryLink entry={part} current={current} className="py-1 pl-3" />
            {items.length > 0 && (
              <ul>
                {items.map((item) => (
                  <li key={item.id}>
                    <EntryLink
                      entry={item}
                      current={current}
                      className="py-1 pl-6 font-mono text-[0.6875rem] break-words"
                    />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

function EntryLink({
  entry: { id, title },
  current,
  className,
}: {
  entry: Entry
  current: string | undefined
  className: string
}) {
  return (
    <a
      href={`#${id}`}
      aria-current={id === current ? 'location' : undefined}
      className={clsx(
        '-ml-px block border-l-2 border-transparent text-muted hover:text-ink aria-[current]:border-brand aria-[current]:text-ink',
        className,
      )}
    >
      {title}
    </a>
  )
}

/**
 * Returns the last part that begins in the upper third of the screen or above it. At the end of the page, returns the
 * page's last part.
 */
function useCurrentPart(ids: string): string | undefined {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const sections = ids.split(' ').flatMap((id) => document.getElementById(id) ?? [])
    function handleScroll() {
      const isAtEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2
      const begun = sections.filter((section) => section.getBoundingClientRect().top < window.innerHeight / 3)
      setCurrent((isAtEnd ? sections : begun).at(-1)?.id ?? sections[0]?.id)
    }
    handleScroll()
    window.addEventListener('scroll', handleScroll, { passive: true })
    return () => window.removeEventListener('scroll', handleScroll)
  }, [ids])
  return current
}
