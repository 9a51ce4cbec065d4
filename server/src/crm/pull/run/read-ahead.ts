/** Yields the same items. Each item is read while the caller works on the item before it. */
export async function* readAhead<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  const reader = items[Symbol.asyncIterator]()
  let next = reader.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = reader.next()
      // If this read fails, the error is thrown when the caller requests the item.
      next.catch(() => undefined)
      yield value
    }
  } finally {
    void reader.return?.()
  }
}
