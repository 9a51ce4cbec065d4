import { useEffect } from 'react'

let title = ''
let count = 0

/** Sets the title of the browser's tab to the page's title, with the number of new records in front if there are any. */
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
