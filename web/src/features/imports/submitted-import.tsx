import type { Import } from '@portal/contract/imports.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { formatCount } from '../../format/count.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { RowList } from './import-rows.tsx'
import { saveLeftOut } from './imports.queries.ts'

/** An import that is being submitted, or has been. */
export function SubmittedImport({ submitted, onAnother }: { submitted: Import; onAnother: () => void }) {
  const { id, name, state, rows, changed, rows_kept_until } = submitted
  const isDone = state === 'done'
  const notSubmitted = rows - submitted.submitted
  const queryClient = useQueryClient()
  const [page, setPage] = useState(1)
  // The lists learn of each lead at once, but not if the page's stream is broken.
  useEffect(() => {
    if (isDone) void queryClient.invalidateQueries({ queryKey: ['leads'] })
  }, [isDone, queryClient])
  return (
    <>
      <Card title={name ?? 'Import'} description={isDone ? undefined : 'You can leave this page. The import goes on.'}>
        {isDone ? <Result submitted={submitted} /> : <Progress submitted={submitted} />}
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
          </div>
        )}
        {isDone && rows_kept_until && (
          <p className="mt-3 text-[0.8125rem] text-muted">
            The portal keeps the file’s rows until {formatDateTime(rows_kept_until)}.
          </p>
        )}
      </Card>
      {isDone && changed > 0 && rows_kept_until && (
        <section aria-label="Changed after the check">
          <h2 className="mb-3 text-[0.9375rem] font-semibold">Changed after the check</h2>
          <RowList id={id} show="changed" page={page} onPage={setPage} />
        </section>
      )}
    </>
  )
}

function Progress({ submitted: { chosen, submitted, left_out } }: { submitted: Import }) {
  const total = chosen ?? 0
  const done = submitted + left_out
  const percent = total === 0 ? 0 : (done / total) * 100
  return (
    <>
      <p className="mb-2 flex justify-between gap-4 text-muted tabular-nums">
        <span>Submitting</span>
        <span>
          {formatNumber(done)} of {formatNumber(total)}
        </span>
      </p>
      <ProgressBar label="Submitting leads" percent={percent} />
      {/* A screen reader hears of every tenth part. */}
      <p role="status" className="sr-only">
        {Math.floor(percent / 10) * 10} percent submitted
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
