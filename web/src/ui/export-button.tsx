import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'

/** Saves the list, as it is filtered and sorted, in a file. `onExport` never fails. */
export function ExportButton({ onExport }: { onExport: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)

  async function handleClick() {
    setBusy(true)
    await onExport()
    setBusy(false)
  }

  return (
    <Button
      variant="secondary"
      size="icon"
      aria-label="Export CSV"
      title="Export CSV"
      icon={<Download aria-hidden />}
      busy={isBusy}
      onClick={() => void handleClick()}
    />
  )
}
