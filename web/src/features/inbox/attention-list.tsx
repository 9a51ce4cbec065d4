import type { AttentionItem } from '@portal/contract/attention.ts'
import { retryDealPush } from '@portal/contract/deals.ts'
import { retryLeadPush } from '@portal/contract/leads.ts'
import { retryNotePush } from '@portal/contract/notes.ts'
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CloudOff, Hand, Hourglass, type LucideIcon, MessageSquareText, RotateCw, Webhook, X } from 'lucide-react'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { paths } from '../../app/paths.ts'
import { useMay } from '../../session/may.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'
import { RestingRows } from '../../ui/resting-rows.tsx'
import { toast } from '../../ui/toast.ts'
import { putItemAway } from './attention.queries.ts'
import { refreshInbox } from './inbox.queries.ts'
import { Quote } from './quote.tsx'

const LOOKS: Record<AttentionItem['kind'], { Icon: LucideIcon; tint: string }> = {
  'your-turn': { Icon: Hand, tint: 'bg-warning-tint text-warning-ink' },
  'crm-failed': { Icon: CloudOff, tint: 'bg-error-tint text-error-ink' },
  'lender-note': { Icon: MessageSquareText, tint: 'bg-brand-tint text-brand-ink' },
  'webhook-failing': { Icon: Webhook, tint: 'bg-error-tint text-error-ink' },
  'no-movement': { Icon: Hourglass, tint: 'bg-warning-tint text-warning-ink' },
}

const ACT_KEY = ['inbox', 'attention', 'act']

export function AttentionList({ items, hasMore }: { items: AttentionItem[]; hasMore: boolean }) {
  const isActing = useIsMutating({ mutationKey: ACT_KEY }) > 0
  return (
    <>
      <RestingRows label="What needs attention" rows={items} isAsking={isActing}>
        {(item) => <Item key={item.id} item={item} />}
      </RestingRows>
      {hasMore && (
        <p className="px-5 py-3 text-[0.8125rem] text-muted">
          There are more items. Deal with these, or hide them, to see the rest.
        </p>
      )}
    </>
  )
}

function Item({ item }: { item: AttentionItem }) {
  const ref = useRef<HTMLLIElement>(null)
  useFocusLeftBehind(ref)
  const { Icon, tint } = LOOKS[item.kind]
  return (
    <li ref={ref} className="flex items-start gap-3 border-b border-line py-3 pr-2 pl-5 last:border-0">
      <span aria-hidden className={`mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-lg ${tint}`}>
        <Icon className="size-4" strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{item.name}</p>
        <p className="wrap-anywhere text-muted">{textOf(item)}</p>
        {item.note && <Quote>{item.note.content}</Quote>}
      </div>
      <div className="flex shrink-0 items-center">
        <Action item={item} />
        <PutAway item={item} />
      </div>
    </li>
  )
}

/** Says in a few words why the item needs attention: '12 days in Pre Call, usually 3'. */
function textOf({ kind, retry, note, webhook, standing }: AttentionItem): string {
  if (retry) {
    const what = retry.kind === 'note' ? 'A note could not reach the CRM' : 'Could not reach the CRM'
    return retry.problem ? `${what}: ${retry.problem}` : what
  }
  if (note) return note.count === 1 ? 'Note from the lender' : `${note.count} notes from the lender`
  if (webhook) return webhook.disabled_at ? 'The webhook is disabled' : 'Deliveries to the webhook fail'
  if (!standing) return ''
  const { value, meaning, days, usual } = standing
  if (kind === 'your-turn') return meaning ? `${value}: ${meaning}` : value
  const stood = `${days} days in ${value}`
  if (!usual) return stood
  const usually = usual.days < 1 ? 'less than a day' : dayCount(Math.round(usual.days))
  return `${stood}, usually ${usually}${usual.of === 'everybody' ? ' with other partners' : ''}`
}

function dayCount(days: number): string {
  return `${days} ${days === 1 ? 'day' : 'days'}`
}

/** The item's main action: retry the failed push, or open the record. */
function Action({ item }: { item: AttentionItem }) {
  const mayRetry = useMay('member')
  if (item.retry && mayRetry) return <Retry item={item} retry={item.retry} />
  const link = item.about && item.loid ? paths[item.about](item.loid) : paths.webhook
  return (
    <Link {...link} aria-label={`Open ${item.name}`} className={buttonClass('secondary', 'small')}>
      Open
    </Link>
  )
}

const RETRIES = { lead: retryLeadPush, deal: retryDealPush, note: retryNotePush }

function Retry({ item, retry }: { item: AttentionItem; retry: NonNullable<AttentionItem['retry']> }) {
  const queryClient = useQueryClient()
  const push = useMutation({
    mutationKey: ACT_KEY,
    mutationFn: () => call(RETRIES[retry.kind], { params: { id: retry.id } }),
    onSuccess: () => toast.info(`The ${retry.kind} is on its way to the CRM again`),
    onError: (error) => toast.error(failureText(error)),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: [item.about === 'deal' ? 'deals' : 'leads'] })
      return refreshInbox(queryClient)
    },
  })
  return (
    <Button
      variant="secondary"
      size="small"
      aria-label={`Retry ${item.name}`}
      busy={push.isPending}
      icon={<RotateCw aria-hidden />}
      onClick={() => push.mutate()}
    >
      Retry
    </Button>
  )
}

function PutAway({ item }: { item: AttentionItem }) {
  const queryClient = useQueryClient()
  const put = useMutation({
    mutationKey: ACT_KEY,
    mutationFn: () => putItemAway(queryClient, item),
    onError: (error) => toast.error(failureText(error)),
  })
  return (
    <Button
      variant="ghost"
      size="icon"
      title="Hide until it changes"
      aria-label={`Hide ${item.name} until it changes`}
      busy={put.isPending}
      icon={<X aria-hidden />}
      onClick={() => put.mutate()}
    />
  )
}
