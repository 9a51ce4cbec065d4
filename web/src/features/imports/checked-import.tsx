import type { Import } from '@portal/contract/imports.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { failureText } from '../../api/failure.ts'
import { formatCount } from '../../format/count.ts'
import { Alert, FailureAlert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { ConsentLine } from './consent-line.tsx'
import { ImportColumns } from './import-columns.tsx'
import { ImportRows } from './import-rows.tsx'
import { acceptOffers, discardFile, importsQuery, showImport, submitRows } from './imports.queries.ts'

interface CheckedImportProps {
  checked: Import
  onSubmitted: () => void
  onDiscarded: () => void
}

/** A file that was checked: what its columns are, how its rows stand, and the button that submits them. */
export function CheckedImport({ checked, onSubmitted, onDiscarded }: CheckedImportProps) {
  const queryClient = useQueryClient()
  const { id, name, rows, standings } = checked

  function handleChanged(changed: Import) {
    showImport(queryClient, changed)
    void queryClient.invalidateQueries({ queryKey: ['imports', 'rows', id] })
  }

  const accept = useMutation({
    mutationFn: () => acceptOffers(id),
    onSuccess: handleChanged,
    onError: toast.failure,
  })

  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="truncate text-base font-semibold">{name ?? 'File'}</h2>
          <p role="status" className="text-muted">
            {formatCount(rows, 'row')}: {standings.ready} ready, {standings.wrong} to mend, {standings.duplicate} like
            other leads, {standings.known} imported before
          </p>
        </div>
        <DiscardButton id={id} onDiscarded={onDiscarded} />
      </div>
      <ImportColumns checked={checked} onChanged={handleChanged} />
      {checked.offers > 0 && (
        <Alert kind="info">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p>
              In {formatCount(checked.offers, 'row')} a spreadsheet may have changed a number. Look at the rows to mend
              before you accept what the portal offers.
            </p>
            <Button variant="secondary" size="small" busy={accept.isPending} onClick={() => accept.mutate()}>
              Accept all {checked.offers}
            </Button>
          </div>
        </Alert>
      )}
      <ImportRows shown={checked} onMended={(changed) => showImport(queryClient, changed)} />
      <SubmitPart checked={checked} onSubmitted={onSubmitted} />
    </>
  )
}

function DiscardButton({ id, onDiscarded }: { id: string; onDiscarded: () => void }) {
  const queryClient = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const discard = useMutation({
    mutationFn: () => discardFile(id),
    onSuccess: () => {
      onDiscarded()
      void queryClient.invalidateQueries({ queryKey: importsQuery().queryKey })
    },
    onError: toast.failure,
  })
  return (
    <>
      <Button variant="secondary" size="small" onClick={() => setAsking(true)}>
        Discard File
      </Button>
      <ConfirmDialog
        open={isAsking}
        title="Discard this file?"
        text="Nothing has been submitted. What you have mended here will be lost."
        confirmLabel="Discard"
        cancelLabel="Keep It"
        danger
        busy={discard.isPending}
        onConfirm={() => discard.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

function SubmitPart({ checked, onSubmitted }: Pick<CheckedImportProps, 'checked' | 'onSubmitted'>) {
  const queryClient = useQueryClient()
  const [withDuplicates, setWithDuplicates] = useState(false)
  const { id, rows, standings } = checked
  const chosen = standings.ready + (withDuplicates ? standings.duplicate : 0)
  const left = rows - chosen
  const submit = useMutation({
    mutationFn: () => submitRows(id, chosen, withDuplicates),
    onSuccess: (submitting) => {
      onSubmitted()
      showImport(queryClient, submitting)
    },
    // Another tab may have changed the file.
    onError: () => void queryClient.invalidateQueries({ queryKey: ['imports'] }),
  })
  return (
    <section aria-label="Submit" className="border-t border-line pt-5">
      {standings.duplicate > 0 && (
        <Checkbox
          label={`Also submit ${formatCount(standings.duplicate, 'row')} like other leads`}
          hint="You submitted a lead with the same email, phone or business number in the last 90 days, or the file has one above."
          checked={withDuplicates}
          onChange={(event) => setWithDuplicates(event.target.checked)}
          className="mb-4"
        />
      )}
      <ConsentLine />
      {submit.isError && (
        <div className="mt-4">
          <FailureAlert text="Nothing was submitted" detail={failureText(submit.error)} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button disabled={chosen === 0} busy={submit.isPending} onClick={() => submit.mutate()}>
          Submit {formatCount(chosen, 'Lead')}
        </Button>
        {left > 0 && (
          <p className="text-muted">
            {formatCount(left, 'row')} will be left out. You can download {left === 1 ? 'it' : 'them'} afterwards.
          </p>
        )}
      </div>
    </section>
  )
}
