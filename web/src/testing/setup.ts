import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { dropDraftsOfEndedSessions } from '../features/leads/lead-draft.ts'
import { toast } from '../ui/toast.ts'

// Stand-ins for features that the pages use and jsdom lacks.
window.matchMedia ??= () =>
  Object.assign(new EventTarget(), { matches: false, media: '', onchange: null, addListener() {}, removeListener() {} })
window.scrollTo = () => {}
Element.prototype.scrollIntoView ??= () => {}
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false
  this.dispatchEvent(new Event('close'))
}

// A busy machine must not make a test of a page fail.
configure({ asyncUtilTimeout: 30_000 })

const complaints: unknown[][] = []
beforeEach(() => {
  complaints.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => {
    complaints.push(words)
  })
})

afterEach(() => {
  cleanup()
  toast.clear()
  dropDraftsOfEndedSessions()
  delete document.documentElement.dataset['theme']
  localStorage.clear()
  sessionStorage.clear()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  if (complaints.length > 0) throw new Error(`console.error was called with: ${String(complaints[0])}`)
})
