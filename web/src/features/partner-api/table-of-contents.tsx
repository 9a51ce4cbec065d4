import { useEffect, useState } from 'react'

interface TableOfContentsProps {
  parts: readonly { id: string; title: string }[]
}

/** Stays beside the parts on wide screens and marks the one that is being read. */
export function TableOfContents({ parts }: TableOfContentsProps) {
  const current = useCurrentPart(parts.map(({ id }) => id).join(' '))
  return (
    <nav aria-label="On this page" className="sticky top-22 self-start text-[0.8125rem] max-xl:hidden">
      <p className="mb-2 font-medium">On this page</p>
      <ul className="border-l border-line">
        {parts.map(({ id, title }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? 'location' : undefined}
              className="-ml-px block border-l-2 border-transparent py-1 pl-3 text-muted hover:text-ink aria-[current]:border-brand aria-[current]:text-ink"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The last part that begins in the upper third of the screen or above it. */
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
