/** Cuts a text to at most `lengthMax` UTF-16 units, as Zoho counts, never inside a letter. Drops blanks at the cut. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1))
  return text.slice(0, isInside ? lengthMax - 1 : lengthMax).trimEnd()
}
