import { useEffect } from 'react'

let title = ''
let count = 0

/** What the browser's tab says: the page's title, after the number of what is new. */
export function usePageTitle(pageTitle: string) {
  useEffect(() => {
    title = `${pageTitle} · Partner Portal`
    write()
  }, [pageTitle])
}

export function useTabCount(newCount: number) {
  useEffect(() => {
    count = newCount
    write()
    return () => {
      count = 0
      write()
    }
  }, [newCount])
}

function write() {
  document.title = count > 0 ? `(${count > 99 ? '99+' : count}) ${title}` : title
}
