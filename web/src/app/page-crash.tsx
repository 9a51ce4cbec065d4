import { useRouter } from '@tanstack/react-router'
import { UNEXPECTED } from '../api/failure.ts'
import { Failure } from '../ui/failure.tsx'

/** A page that broke takes nothing else with it. */
export function PageCrash({ reset }: { reset: () => void }) {
  const router = useRouter()
  function handleRetry() {
    reset()
    void router.invalidate()
  }
  return <Failure text={UNEXPECTED} onRetry={handleRetry} />
}
