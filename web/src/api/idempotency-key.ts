import { useState } from 'react'

/**
 * The key of one attempt to create something (D9). The key stays the same while the body does, so a repeat after a lost
 * answer creates nothing twice. Call `renew` after a success, so that the same body sent again creates a second record.
 */
export function useIdempotencyKey() {
  const [keys] = useState(createKeys)
  return keys
}

function createKeys() {
  let last = { text: '', key: '' }
  return {
    keyFor(body: unknown): string {
      const text = JSON.stringify(body)
      if (last.key === '' || last.text !== text) last = { text, key: randomKey() }
      return last.key
    },
    renew() {
      last = { text: '', key: '' }
    },
  }
}

/** Unlike `randomUUID`, this also works when the page was loaded over plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
