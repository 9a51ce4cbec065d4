import { useEffect } from 'react'
import { BRAND_NAME } from './brand-name.ts'

let title = ''
let count = 0

/** Sets the title of the browser's tab to the page's title, with the bell's number in front unless it is 0. */
export function usePageTitle(pageTitle: string) {
  useEffect(() => {
    title = `${pageTitle} · ${BRAND_NAME}`
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
