/** By this time the page is drawn, also on a slow line. */
const AFTER_MS = 3_000
const FONT = '1rem "Inter Variable"'

/** Fetches the font after the first page if the document's script did not expect it in time. The next visit uses it. */
export function loadFontLate() {
  if (document.documentElement.dataset['font'] !== undefined) return
  setTimeout(() => void loadFont(), AFTER_MS)
}

async function loadFont() {
  // If the font does not arrive, the next visit tries again.
  const faces = await document.fonts.load(FONT).catch(() => [])
  if (faces.length > 0) localStorage.setItem('portal-font', '')
}
