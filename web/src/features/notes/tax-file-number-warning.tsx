import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'

/** Shown in place of sending a text that shows a tax file number. The person may send it anyway (D107). */
export function TaxFileNumberWarning({ onSend }: { onSend: () => void }) {
  return (
    <Alert kind="warning">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>This looks like a tax file number, which the lender must not get. Please remove it.</p>
        <Button variant="secondary" size="small" onClick={onSend}>
          Send anyway
        </Button>
      </div>
    </Alert>
  )
}
