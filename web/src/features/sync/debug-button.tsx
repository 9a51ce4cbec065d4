import { formatNumber } from '@portal/contract/numbers.ts'
import { debugSyncLeads } from '@portal/contract/sync.ts'
import { useMutation } from '@tanstack/react-query'
import { Bug, CircleCheck, CircleX } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.ts'

type DebugResult = Awaited<ReturnType<typeof runDebugTest>>

/** Tries each step of a lead sync without changing anything, and shows the result of each step (D33). */
export function DebugButton() {
  const [isShown, setIsShown] = useState(false)
  const test = useMutation({
    mutationFn: runDebugTest,
    onSuccess({ success }) {
      setIsShown(true)
      if (success) toast.success('Debug test passed')
      else toast.error('Debug test failed')
    },
    onError: () => toast.error('Debug test error'),
  })

  return (
    <>
      <Button
        variant="secondary"
        size="icon"
        aria-label="Debug"
        title="Debug: test the connection to the CRM"
        icon={<Bug aria-hidden />}
        busy={test.isPending}
        onClick={() => test.mutate()}
      />
      <Dialog open={isShown} onClose={() => setIsShown(false)} title="CRM connection test" className="sm:w-[34rem]!">
        {test.data && <DebugReport result={test.data} />}
      </Dialog>
    </>
  )
}

function runDebugTest() {
  return call(debugSyncLeads)
}

function DebugReport({ result: { success, error, debug } }: { result: DebugResult }) {
  return (
    <div className="grid grid-cols-1 gap-5">
      <Alert kind={success ? 'success' : 'error'}>
        {success ? 'Every step of a lead sync works.' : (error ?? 'Debug test failed')}
      </Alert>
      <ol aria-label="Steps" className="divide-y divide-line rounded-lg border border-line">
        {debug.steps.map(({ name, ok, ms, detail }) => {
          const Icon = ok ? CircleCheck : CircleX
          return (
            <li key={name} className="flex items-start gap-3 px-3.5 py-2.5">
              <Icon
                role="img"
                aria-label={ok ? 'Passed' : 'Failed'}
                className={ok ? 'mt-0.5 size-4 text-success-dot' : 'mt-0.5 size-4 text-error-dot'}
              />
              <div className="min-w-0 flex-1">
                <p className="font-medium">{name}</p>
                <p className="text-[0.8125rem] break-words text-muted">{detail}</p>
              </div>
              <span className="shrink-0 text-[0.8125rem] text-muted tabular-nums">{ms} ms</span>
            </li>
          )
        })}
      </ol>
      <DescriptionList
        items={[
          { term: 'Leads in the portal', value: formatNumber(debug.counts.portal_leads) },
          {
            term: 'Leads in the CRM',
            value: debug.counts.zoho_leads === null ? null : formatNumber(debug.counts.zoho_leads),
          },
          { term: 'Connected to', value: debug.mode === 'sandbox' ? 'CRM sandbox' : 'Zoho CRM' },
          { term: 'Address', value: debug.api_domain },
          { term: 'Missing fields', value: debug.missing_fields.join(', ') || 'None', wide: true },
        ]}
      />
    </div>
  )
}
