import { RefreshCw } from 'lucide-react'
import { May } from '../../session/may.tsx'
import { Button } from '../../ui/button.tsx'
import type { Sync } from './use-sync.ts'

export function SyncButton({ sync }: { sync: Sync }) {
  return (
    <May least="member">
      <Button
        variant="secondary"
        size="icon"
        aria-label="Sync from CRM"
        title="Sync from CRM"
        icon={<RefreshCw aria-hidden />}
        busy={sync.isRunning}
        onClick={sync.start}
      />
    </May>
  )
}
