import { RefreshCw } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import type { Sync } from './use-sync.ts'

export function SyncButton({ sync }: { sync: Sync }) {
  return (
    <Button variant="secondary" icon={<RefreshCw aria-hidden />} busy={sync.isRunning} onClick={sync.start}>
      Sync from CRM
    </Button>
  )
}
