import { useEffect } from 'react'

let title = ''
let count = 0

/** The title of the browser's tab: the number of new records, then the page's title. */
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
