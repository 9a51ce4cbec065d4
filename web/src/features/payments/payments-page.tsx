import { formatCents } from '@portal/contract/money.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { monthInWords, type Payment, type PaymentSums } from '@portal/contract/payments.ts'
import { useQuery } from '@tanstack/react-query'
import { HandCoins } from 'lucide-react'
import { useState } from 'react'
import { failureText } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { paymentsSearch } from '../../app/search-params.ts'
import { Link } from '../../router/link.tsx'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { DataTable } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { AskDialog } from './ask-dialog.tsx'
import { paymentColumns } from './payment-columns.tsx'
import { type PaymentsAnswer, paymentsQuery, savePayments } from './payments.queries.ts'
import { Statements } from './statements.tsx'

export function startPayments({ queryClient, search }: PageStart) {
  startQuery(queryClient, paymentsQuery(paymentsSearch(search).page ?? 1))
}

export function PaymentsPage() {
  return (
    <>
      <PageHeader
        title="Payments"
        description="What the lender pays for your referrals."
        actions={<ExportButton onExport={savePayments} />}
      />
      <Payments />
      <Statements />
    </>
  )
}

function Payments() {
  const { page = 1 } = useSearch(paymentsSearch)
  const navigate = useNavigate()
  const query = useQuery(paymentsQuery(page))
  if (query.isPending) {
    return (
      <div className="frame">
        <TableSkeleton label="Loading payments" columns={paymentColumns(() => {})} rows={10} />
      </div>
    )
  }
  if (!query.data) {
    return (
      <div className="panel">
        <Failure
          text="Failed to load payments"
          detail={failureText(query.error)}
          onRetry={() => void query.refetch()}
        />
      </div>
    )
  }
  return (
    <PaymentList
      list={query.data}
      page={page}
      isStale={query.isPlaceholderData}
      onPage={(to) => {
        void navigate({ ...paths.payments, search: { page: to > 1 ? to : undefined }, resetScroll: false })
        window.scrollTo({ top: 0 })
      }}
    />
  )
}

interface PaymentListProps {
  list: PaymentsAnswer
  page: number
  isStale: boolean
  onPage: (page: number) => void
}

function PaymentList({ list: { data, pagination }, page, isStale, onPage }: PaymentListProps) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<Payment | null>(null)
  const { payments, months, sums } = data
  if (payments.length === 0) return <NoPayments isFirstPage={page === 1} />
  const columns = paymentColumns(setAsked)
  return (
    <div className="grid grid-cols-1 gap-5">
      <StatusSums sums={sums} />
      {months.map(({ month, count, sum }) => (
        <section key={month} aria-label={monthName(month)}>
          <h2 className="mb-2 flex flex-wrap items-baseline gap-x-2 text-[0.9375rem] font-semibold">
            {monthName(month)}
            <span className="text-[0.8125rem] font-normal text-muted tabular-nums">
              {paymentCount(count)}
              {month !== null && `, ${formatCents(sum)}`}
            </span>
          </h2>
          <div className="frame">
            <DataTable
              label={`Payments: ${monthName(month)}`}
              columns={columns}
              rows={payments.filter(({ paid_on }) => (paid_on?.slice(0, 7) ?? null) === month)}
              rowKey={({ loid }) => loid}
              stale={isStale}
              onRowClick={({ loid }) => void navigate(paths.deal(loid))}
            />
          </div>
        </section>
      ))}
      {(pagination.has_more || page > 1) && (
        <div className="frame">
          <Pagination
            page={page}
            hasNext={pagination.has_more}
            range={{ rows: payments.length, total: pagination.total }}
            onPage={onPage}
          />
        </div>
      )}
      <AskDialog payment={asked} onClose={() => setAsked(null)} />
    </div>
  )
}

/** The sums by the lender's own words, over all payments. */
function StatusSums({ sums: { by_status } }: { sums: PaymentSums }) {
  return (
    <dl
      aria-label="All payments by status"
      className="frame grid grid-cols-2 gap-px bg-line! *:min-w-0 max-sm:*:last:odd:col-span-2 *:grow *:bg-surface *:px-4 *:py-2.5 sm:flex sm:flex-wrap sm:*:px-5"
    >
      {by_status.map(({ status, count, sum }) => (
        <div key={status}>
          <dt className="truncate text-xs text-muted">{status ?? 'No status'}</dt>
          <dd className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted tabular-nums max-sm:flex-col">
            <span className="text-base/6 font-semibold text-ink">{formatCents(sum)}</span> {paymentCount(count)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function NoPayments({ isFirstPage }: { isFirstPage: boolean }) {
  return (
    <div className="panel">
      {isFirstPage ? (
        <EmptyState
          icon={<HandCoins />}
          title="No payments yet"
          text="As soon as the lender enters a commission for one of your deals, you see it here."
        />
      ) : (
        <EmptyState
          icon={<HandCoins />}
          title="No payments found"
          text="This page is past the last one"
          action={
            <Link {...paths.payments} className={buttonClass()}>
              Back to the first page
            </Link>
          }
        />
      )}
    </div>
  )
}

function monthName(month: string | null): string {
  return month === null ? 'No payment date yet' : monthInWords(month)
}

function paymentCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'payment' : 'payments'}`
}
