// What browsers do to a page (D149), for tests: they translate it, enlarge its text and replace its colours.
import { expect, type Page } from '@playwright/test'

/** Replaces each text as Chrome's translator does, at once and whenever a text appears. The words stay the same. */
const TRANSLATE = `(() => {
  const KEPT = 'font, script, style, textarea, option, [translate=no]'
  function translate(root) {
    const found = []
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) found.push(walker.currentNode)
    for (const text of found) {
      if (!/\\S/.test(text.data) || text.parentElement.closest(KEPT)) continue
      const outer = document.createElement('font')
      outer.append(document.createElement('font'))
      outer.firstChild.append(text.data)
      text.replaceWith(outer)
    }
  }
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target.isConnected) translate(target instanceof Text ? target.parentNode : target)
  }).observe(document.body, { childList: true, characterData: true, subtree: true })
  translate(document.body)
})()`

/**
 * Defines `findStale`, which compares what React believes to show with what stands in the document. It returns the texts
 * that differ, and those that stand beside others without an element of their own (\`web/src/jsx\`).
 */
const FIND_STALE = `window.findStale = () => {
  const found = []
  function visit(fiber) {
    for (let one = fiber; one; one = one.sibling) {
      const { children } = one.memoizedProps ?? {}
      const isBare = one.tag === 6 && /\\S/.test(one.memoizedProps)
      if (isBare) found.push('stands bare: ' + one.memoizedProps)
      const isText = one.tag === 5 && ['string', 'number'].includes(typeof children)
      if (isText && one.stateNode.textContent !== String(children))
        found.push(one.stateNode.textContent + ' instead of ' + children)
      visit(one.child)
    }
  }
  const root = document.getElementById('root')
  const key = Object.keys(root).find((name) => name.startsWith('__reactContainer'))
  visit(root[key].stateNode.current)
  return found
}`

/**
 * Presses each button of the area once, cancels what a press opens, and comes back to the page. Returns the texts that
 * were stale after a press.
 */
const PRESS_ALL = `async (area) => {
  const { pathname } = location
  // A press may replace the page in the history. These entries are for the ways back.
  for (let left = 20; left > 0; left--) history.pushState(history.state, '', location.href)
  const pressed = []
  const wrong = new Set()
  const seen = new WeakSet()
  let calls = 0
  const plainFetch = window.fetch
  window.fetch = async (...call) => {
    calls++
    try { return await plainFetch(...call) } finally { calls-- }
  }
  /** Waits until nothing has changed for two frames and every call is answered. */
  async function settle() {
    const end = performance.now() + 5_000
    let quiet = 0
    const watching = new MutationObserver(() => { quiet = 0 })
    watching.observe(document.body, { childList: true, characterData: true, subtree: true })
    for (quiet = 0; (quiet < 2 || calls > 0) && performance.now() < end; quiet++) await new Promise(requestAnimationFrame)
    watching.disconnect()
    for (const text of findStale()) wrong.add(text)
  }
  const nameOf = (one) => one.ariaLabel ?? one.textContent
  const unpressed = (where) => [...document.querySelectorAll(where)].find((one) =>
    one.checkVisibility() && !one.disabled && !seen.has(one) && !/demo account|^Sign out$/.test(one.closest('main') && nameOf(one)) &&
    // Some buttons come back as new elements after each press.
    pressed.filter((name) => name === nameOf(one)).length < 3)
  /** What a press has opened above the page comes first. */
  const above = () => unpressed('[role=dialog] :is(button, [role=radio])')
  const next = () => above() ?? unpressed(area)
  for (const field of document.querySelectorAll('main textarea')) {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, 'Read out')
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  await settle()
  for (let button = next(); button; button = next()) {
    seen.add(button)
    pressed.push(nameOf(button))
    button.click()
    await settle()
    for (const dialog of document.querySelectorAll('dialog[open]')) {
      const cancel = [...dialog.querySelectorAll('button')].find((one) => /^(Cancel|Close|Keep)/.test(nameOf(one)))
      if (cancel) cancel.click()
      else dialog.requestClose()
      await settle()
    }
    if (!above()) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    if (location.pathname !== pathname) {
      history.back()
      await settle()
      // A page that has done its work, such as a correction, does not come back.
      if (location.pathname !== pathname) break
    }
  }
  window.fetch = plainFetch
  return [...wrong]
}`

/**
 * Finds what a contrast theme makes disappear: elements whose own background is their only edge, shapes that consist of
 * a background, what is chosen or current, and the focus.
 */
const FIND_LOST = `(() => {
  const lost = []
  const canvas = getComputedStyle(document.body).backgroundColor
  const isThere = (colour) => colour !== canvas && !/^rgba.*, 0\\)$/.test(colour)
  function look(selector, isVisible) {
    for (const one of document.querySelectorAll(selector)) {
      const { width, height } = one.getBoundingClientRect()
      if (one.checkVisibility() && width > 2 && height > 2 && !isVisible(getComputedStyle(one)))
        lost.push(selector + ': ' + one.outerHTML.slice(0, 200))
    }
  }
  const hasEdge = ({ borderTopWidth, borderTopColor, outlineStyle, outlineWidth, outlineColor, backgroundColor }) =>
    isThere(backgroundColor) || (borderTopWidth !== '0px' && isThere(borderTopColor)) ||
    (outlineStyle !== 'none' && outlineWidth !== '0px' && isThere(outlineColor))
  look('button[class^="bg-"], button[class*=" bg-"], a[class*="bg-brand "]:not([href="#main"]), [data-variant], .control', hasEdge)
  look('[class*="bg-"]:empty, .shape', ({ backgroundColor }) => isThere(backgroundColor))
  look('nav [aria-current]:not([aria-current=false]), [role=tab][aria-selected=true], label:has(> .appearance-none:checked)',
    ({ backgroundColor }) => isThere(backgroundColor))
  for (const one of document.querySelectorAll('main :is(button, a, input, select, textarea)')) {
    if (!one.checkVisibility() || one.disabled) continue
    one.focus({ focusVisible: true, preventScroll: true })
    const shown = one.matches('.appearance-none') ? one.parentElement : one
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(shown)
    if (document.activeElement === one && (outlineStyle === 'none' || parseFloat(outlineWidth) < 2 || !isThere(outlineColor)))
      lost.push('focus: ' + one.outerHTML.slice(0, 200))
  }
  document.activeElement.blur()
  return lost
})()`

/** Finds texts that are cut off, except those that end in dots. */
const FIND_CUT = `(() => {
  const cut = []
  /** The innermost element that is too wide. */
  const widest = (box, right) =>
    [...box.querySelectorAll('*')].findLast((one) => one.checkVisibility() && one.getBoundingClientRect().right > right + 1)?.outerHTML.slice(0, 200)
  if (document.documentElement.scrollWidth > innerWidth) cut.push('the page, because of ' + widest(document.body, innerWidth))
  for (const one of document.querySelectorAll('body *')) {
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(one)
    if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || !/\\S/.test(one.textContent)) continue
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = one
    if (clientWidth < 4 || !one.checkVisibility()) continue
    const hides = (overflow) => ['hidden', 'clip'].includes(overflow)
    if ((hides(overflowX) && scrollWidth > clientWidth + 1) || (hides(overflowY) && scrollHeight > clientHeight + 1))
      cut.push(one.outerHTML.slice(0, 200) + ' because of ' + widest(one, one.getBoundingClientRect().right))
  }
  return cut
})()`

export const BUTTONS = ':is(button, summary, [role=tab], [role=radio])'

export async function translate(page: Page) {
  await page.evaluate(FIND_STALE)
  await page.evaluate(TRANSLATE)
}

/** With text of twice the usual size on a desktop and a phone, nothing is cut off; with a contrast theme, nothing is lost. */
export async function expectToBearLargeTextAndContrast(page: Page) {
  const session = await page.context().newCDPSession(page)
  const size = page.viewportSize()
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    // Parts that are drawn only when somebody scrolls near them get their new size in the next frame.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    expect.soft(await page.evaluate(FIND_CUT), `large text, ${width} pixels`).toEqual([])
  }
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } })
  if (size) await page.setViewportSize(size)
  await page.emulateMedia({ forcedColors: 'active' })
  expect.soft(await page.evaluate(FIND_LOST), 'forced colours').toEqual([])
  await page.emulateMedia({ forcedColors: null })
  await session.detach()
}

export async function pressAll(page: Page, area: string) {
  const stale = await page.evaluate<string[]>(`(${PRESS_ALL})(${JSON.stringify(area)})`)
  expect(stale, 'texts that were stale after a press').toEqual([])
}

/** What browsers report of refused calls, and of a press that no person has made. */
const NO_COMPLAINT = /^(?:Failed to load resource|File chooser dialog can only be shown)/

/** A page that has crashed says so in the console. A page that was loaded again has lost `findStale`. */
export async function expectSound(page: Page, complaints: string[]) {
  expect(await page.evaluate('findStale()'), 'stale texts').toEqual([])
  expect(complaints.filter((text) => !NO_COMPLAINT.test(text))).toEqual([])
}
