import type { Attention, AttentionItem } from '@portal/contract/attention.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { useIsMutating, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { CircleCheck, Hourglass } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { RestingRows } from '../../ui/resting-rows.tsx'
import { ACT_KEY, AttentionRow } from './attention-row.tsx'
import { newsQuery } from './inbox.queries.ts'

/** How many items are shown at first; a phone has room for fewer above the figures. */
const SHOWN = 5
const SHOWN_ON_PHONE = 2

/**
 * What needs the person's attention, the most urgent first (D127, D128). The rows shown at first are kept free for what
 * arrives while the page is open, and then for what is new.
 */
export function AttentionCard({ attention: { items, total, is_least } }: { attention: Attention }) {
  const [isOpen, setIsOpen] = useState(false)
  const [idsAtFirst] = useState(() => new Set(items.map(({ id }) => id)))
  const { data: changed = [] } = useQuery({ ...newsQuery(), select: ({ loids }) => loids })
  const isActing = useIsMutating({ mutationKey: ACT_KEY }) > 0
  const count = `${formatNumber(total)}${is_least ? '+' : ''}`
  const isNew = ({ loid, note }: AttentionItem) => (note ? !note.is_read : loid !== null && changed.includes(loid))
  const newItems = items.filter(isNew).length
  const rank = (item: AttentionItem) => (idsAtFirst.has(item.id) ? Number(isNew(item)) : 2)
  const isShown = (item: AttentionItem, rows: readonly AttentionItem[], most: number) =>
    isOpen || rows.toSorted((a, b) => rank(b) - rank(a)).indexOf(item) < most
  return (
    <Card
      padded={false}
      title={
        <>
          Needs attention <span className="ml-1 font-medium text-muted tabular-nums">{count}</span>
        </>
      }
    >
      <RestingRows label="What needs attention" rows={items} isAsking={isActing}>
        {(item, rows) => (
          <AttentionRow
            key={item.id}
            item={item}
            isNew={isNew(item)}
            className={clsx(
              !isShown(item, rows, SHOWN) && 'hidden',
              !isShown(item, rows, SHOWN_ON_PHONE) && 'max-sm:hidden',
            )}
          />
        )}
      </RestingRows>
      {isOpen && total > items.length && (
        <p className="border-t border-line px-5 py-3 text-muted">
          These are the most urgent {items.length}. The others follow as you deal with these.
        </p>
      )}
      {items.length > SHOWN_ON_PHONE && (
        <div className={clsx('-mt-px border-t border-line p-1.5', items.length <= SHOWN && 'sm:hidden')}>
          <Button
            variant="ghost"
            size="small"
            className="w-full"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Show fewer' : `All ${count}`}
            {!isOpen && newItems > SHOWN_ON_PHONE && ` · ${newItems} new`}
          </Button>
        </div>
      )}
    </Card>
  )
}

/** One line for when nothing needs attention, or nothing is known to need it. */
export function CalmLine({ knowsUsualTimes }: { knowsUsualTimes: boolean }) {
  const Icon = knowsUsualTimes ? CircleCheck : Hourglass
  return (
    <p className="flex items-center gap-2">
      <Icon aria-hidden className={clsx('size-4 shrink-0', knowsUsualTimes ? 'text-success-dot' : 'text-muted')} />
      {knowsUsualTimes ? 'Nothing needs your attention' : 'Not enough history yet to tell what is late'}
    </p>
  )
}
