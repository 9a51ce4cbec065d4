import type { Statement } from '@portal/contract/payments.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { failureText } from '../../api/failure.ts'
import { formatDate } from '../../format/dates.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formatBytes } from '../documents/format-bytes.ts'
import { saveStatement, statementsQuery } from './payments.queries.ts'

/** The lender's statements, if there are any. */
export function Statements() {
  const { data, error, refetch } = useQuery(statementsQuery())
  if (!data && !error) return null
  if (data?.statements.length === 0) return null
  return (
    <section aria-labelledby="statements" className="mt-6">
      <h2 id="statements" className="mb-2 text-[0.9375rem] font-semibold">
        Statements
      </h2>
      <div className="frame">
        {data ? (
          <ul className="divide-y divide-line">
            {data.statements.map((statement) => (
              <StatementRow key={statement.id} statement={statement} />
            ))}
          </ul>
        ) : (
          <Failure text="Failed to load statements" detail={failureText(error)} onRetry={() => void refetch()} />
        )}
      </div>
    </section>
  )
}

function StatementRow({ statement }: { statement: Statement }) {
  const save = useMutation({ mutationFn: saveStatement })
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-2.5 sm:px-5">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{statement.name}</p>
        <p className="text-[0.8125rem] text-muted">
          {formatDate(statement.added_at)}, {formatBytes(statement.size)}
        </p>
      </div>
      <Button
        variant="secondary"
        busy={save.isPending}
        aria-label={`Download ${statement.name}`}
        onClick={() => save.mutate(statement)}
      >
        <Download aria-hidden />
        Download
      </Button>
    </li>
  )
}
