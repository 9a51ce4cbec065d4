/** Drops blank text, and text that the server would refuse: too long, or with a character that cannot be stored. */
export function textOf(value: unknown, lengthMax = Number.POSITIVE_INFINITY): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  const isText = text !== '' && text.length <= lengthMax && !text.includes('\u0000') && text.isWellFormed()
  return isText ? text : undefined
}
