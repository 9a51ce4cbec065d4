import type { Import, RowsShown } from '@portal/contract/imports.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { formatCount } from '../../format/count.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { RowList } from './import-rows.tsx'
import { isUnderWay, saveLeftOut } from './imports.queries.ts'
import { RefusedRows } from './refused-rows.tsx'
import { UndoButton } from './undo-button.tsx'

/** An import that is being submitted, or has been. */
export function SubmittedImport({ submitted, onAnother }: { submitted: Import; onAnother: () => void }) {
  const { id, name, state, rows, changed, refused, rows_kept_until, undo } = submitted
  const isDone = state === 'done'
  const isSettled = !isUnderWay(submitted)
  const notSubmitted = rows - submitted.submitted
  const queryClient = useQueryClient()
  // The lists learn of each lead at once, but not if the page's stream is broken.
  useEffect(() => {
    if (!isSettled) return
    void queryClient.invalidateQueries({ queryKey: ['leads'] })
    void queryClient.invalidateQueries({ queryKey: ['imports', 'rows', id] })
  }, [id, isSettled, queryClient])
  return (
    <>
      <Card
        title={name ?? 'Import'}
        description={isSettled ? undefined : 'You can leave this page. The portal goes on.'}
      >
        {isDone ? <Result submitted={submitted} /> : <Submitting submitted={submitted} />}
        {undo && <UndoOutcome submitted={submitted} undo={undo} />}
        {isDone && (
          <div className="mt-4 flex flex-wrap gap-2">
            <Link {...paths.leads} className={buttonClass()}>
              Go to Leads
            </Link>
            {notSubmitted > 0 && rows_kept_until && (
              <Button variant="secondary" icon={<Download aria-hidden />} onClick={() => void saveLeftOut(id)}>
                Download {formatCount(notSubmitted, 'row')} left out
              </Button>
            )}
            <Button variant="secondary" onClick={onAnother}>
              Import Another File
            </Button>
            <UndoButton submitted={submitted} />
          </div>
        )}
        {isSettled && rows_kept_until && (
          <p className="mt-3 text-[0.8125rem] text-muted">
            The portal keeps the file’s rows until {formatDateTime(rows_kept_until)}.
          </p>
        )}
      </Card>
      {isDone && refused > 0 && <RefusedRows submitted={submitted} />}
      {isDone && changed > 0 && rows_kept_until && <RowsOf id={id} title="Changed after the check" show="changed" />}
      {undo?.done_at && undo.kept > 0 && rows_kept_until && <RowsOf id={id} title="Kept" show="kept" />}
    </>
  )
}

function RowsOf({ id, title, show }: { id: string; title: string; show: RowsShown }) {
  const [page, setPage] = useState(1)
  return (
    <section aria-label={title}>
      <h2 className="mb-3 text-[0.9375rem] font-semibold">{title}</h2>
      <RowList id={id} show={show} page={page} onPage={setPage} />
    </section>
  )
}

function Submitting({ submitted: { chosen, submitted, left_out } }: { submitted: Import }) {
  return <Progress label="Submitting" done={submitted + left_out} total={chosen ?? 0} />
}

function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const percent = total === 0 ? 0 : (done / total) * 100
  return (
    <>
      <p className="mb-2 flex justify-between gap-4 text-muted tabular-nums">
        <span>{label}</span>
        <span>
          {formatNumber(done)} of {formatNumber(total)}
        </span>
      </p>
      <ProgressBar label={`${label} leads`} percent={percent} />
      {/* A screen reader hears of every tenth part. */}
      <p role="status" className="sr-only">
        {label}: {Math.floor(percent / 10) * 10} percent
      </p>
    </>
  )
}

function Result({ submitted: { rows, submitted, changed } }: { submitted: Import }) {
  return (
    <p role="status">
      {formatNumber(submitted)} of {formatCount(rows, 'row')} {submitted === 1 ? 'was' : 'were'} submitted.
      {changed > 0 && ` In ${formatCount(changed, 'row')} something changed after the check.`}
    </p>
  )
}

type Undo = NonNullable<Import['undo']>

function UndoOutcome({
  submitted: { submitted },
  undo: { done_at, withdrawn, kept },
}: {
  submitted: Import
  undo: Undo
}) {
  return (
    <div className="mt-3">
      {done_at ? (
        <p role="status">
          The import was undone: {formatCount(withdrawn, 'lead')} {withdrawn === 1 ? 'was' : 'were'} withdrawn
          {kept > 0 && `, ${formatNumber(kept)} ${kept === 1 ? 'was' : 'were'} kept`}.
        </p>
      ) : (
        <Progress label="Withdrawing" done={withdrawn + kept} total={submitted} />
      )}
    </div>
  )
}
