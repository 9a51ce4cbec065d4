import { useEffect, useEffectEvent, useState } from 'react'
import { useRouter } from './router-view.tsx'

/**
 * Asks before the person leaves the page, as long as `isAtRisk` says so. Within the app the caller shows the question
 * while `isAsking`, and the browser itself asks before a reload or before the tab closes.
 */
export function useBlocker(isAtRisk: () => boolean) {
  const { block } = useRouter()
  const [answer, setAnswer] = useState<(leaves: boolean) => void>()
  const blocksUnload = useEffectEvent(isAtRisk)

  const blocks = useEffectEvent(async () => {
    if (!isAtRisk()) return false
    const leaves = await new Promise<boolean>((resolve) => setAnswer(() => resolve))
    setAnswer(undefined)
    return !leaves
  })
  useEffect(() => block({ blocks, blocksUnload }), [block])

  return { isAsking: answer !== undefined, answer: (leaves: boolean) => answer?.(leaves) }
}
