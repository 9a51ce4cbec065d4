import { useState } from 'react'

/** The length of every key. An attempt is one text: the key and, after it, the body that was sent with it. */
const KEY_LENGTH = 32

/**
 * The key of one attempt to create something (D9). The key changes only when the body changes, so a repeat after a lost
 * answer creates nothing twice. Call `renew` after a success, so that the same body sent again creates a second record.
 * A form that keeps its draft also keeps the last attempt. The form begins with that attempt, so that a restored draft
 * has the same key.
 */
export function useIdempotencyKey(attempt = '', keepAttempt: (attempt: string) => void = ignore) {
  const [keys] = useState(() => createKeys(attempt, keepAttempt))
  return keys
}

function createKeys(first: string, keepAttempt: (attempt: string) => void) {
  let last = first

  function change(attempt: string) {
    last = attempt
    keepAttempt(attempt)
  }

  return {
    keyFor(body: unknown): string {
      const text = JSON.stringify(body)
      if (last.slice(KEY_LENGTH) !== text) change(randomKey() + text)
      return last.slice(0, KEY_LENGTH)
    },
    lastAttempt: () => last,
    renew: () => change(''),
  }
}

/** Unlike `randomUUID`, this also works when the page was loaded over plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_LENGTH / 2))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function ignore() {}
