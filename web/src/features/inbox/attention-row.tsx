import type { AttentionItem } from '@portal/contract/attention.ts'
import { retryDealPush } from '@portal/contract/deals.ts'
import { NO_DEAL_YET, retryLeadPush } from '@portal/contract/leads.ts'
import { retryNotePush } from '@portal/contract/notes.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import {
  Check,
  Clock,
  CloudOff,
  Hand,
  Hourglass,
  type LucideIcon,
  MessageCircleQuestionMark,
  MessageSquareText,
  Reply,
  RotateCw,
  ShieldCheck,
  Webhook,
} from 'lucide-react'
import { lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { formatDate, formatDateTime, formatDays } from '../../format/dates.ts'
import { formatUsualDays } from '../../format/usual-time.ts'
import { Link } from '../../router/link.tsx'
import { May } from '../../session/may.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { useFocusLeftBehind, useKeptFocus } from '../../ui/keep-focus.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.ts'
import { TurnChip } from '../referral/turn-chip.tsx'
import { markItemDone, remindOfItem } from './attention.queries.ts'
import { markRecordSeen, newsQuery, refreshInbox } from './inbox.queries.ts'
import { Quote } from './quote.tsx'
import { UnreadDot } from './unread-mark.tsx'

const LOOKS: Record<AttentionItem['kind'], { Icon: LucideIcon; tint: string }> = {
  request: { Icon: MessageCircleQuestionMark, tint: 'bg-warning-tint text-warning-ink' },
  'your-turn': { Icon: Hand, tint: 'bg-warning-tint text-warning-ink' },
  'lender-note': { Icon: MessageSquareText, tint: 'bg-brand-tint text-brand-ink' },
  'crm-failed': { Icon: CloudOff, tint: 'bg-error-tint text-error-ink' },
  'webhook-failing': { Icon: Webhook, tint: 'bg-error-tint text-error-ink' },
  'awaits-deal': { Icon: Hourglass, tint: 'bg-brand-tint text-brand-ink' },
  'protection-ends': { Icon: ShieldCheck, tint: 'bg-warning-tint text-warning-ink' },
  'no-movement': { Icon: Hourglass, tint: 'bg-hover text-muted' },
}

/** Most visits of the dashboard need no form. */
const NoteForm = lazy(async () => ({ default: (await import('../notes/note-form.tsx')).NoteForm }))

/** Rows of the list move while a mutation with this key runs. */
export const ACT_KEY = ['inbox', 'attention', 'act']

/** An item that needs attention: what it is, whose turn it is, and what the person can do about it in place. */
export function AttentionRow({ item, isNew, className }: { item: AttentionItem; isNew: boolean; className: string }) {
  const ref = useRef<HTMLLIElement>(null)
  useFocusLeftBehind(ref)
  const [open, setOpen] = useState<'reply' | 'remind' | null>(null)
  const reply = useRef<HTMLButtonElement>(null)
  useKeptFocus(reply, String(open))
  const { Icon, tint } = LOOKS[item.kind]
  const quote = item.note?.content ?? item.request?.reason
  const toggle = (part: 'reply' | 'remind') => setOpen(open === part ? null : part)
  return (
    <li ref={ref} className={clsx('flex gap-3 border-b border-line py-3 pr-4 pl-5 last:border-0', className)}>
      <span
        aria-hidden
        className={clsx('mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-lg max-sm:hidden', tint)}
      >
        <Icon className="size-4" strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 lg:flex-nowrap">
          <div className="min-w-0 flex-1 basis-72">
            <p className="flex flex-wrap items-center gap-x-2 sm:flex-nowrap">
              <Link
                {...pageOf(item)}
                className={clsx(
                  'min-w-0 truncate rounded-sm underline-offset-4 hover:underline',
                  item.note?.is_read ? 'font-normal' : 'font-semibold',
                )}
              >
                {isNew && <UnreadDot />}
                {item.name}
              </Link>
              {!item.note && <TurnChip side={item.request ? 'partner' : item.standing?.side} />}
            </p>
            <p className="wrap-anywhere text-muted max-sm:line-clamp-2">{reasonOf(item)}</p>
            {/* On a phone all four figures stand below the first two items, with any text and font. */}
            {quote && <Quote className="max-sm:line-clamp-1">{quote}</Quote>}
          </div>
          <div className="flex flex-wrap items-center sm:shrink-0 sm:flex-nowrap">
            <Actions item={item} replyRef={reply} open={open} onToggle={toggle} />
          </div>
        </div>
        {open === 'reply' && <ReplyForm item={item} onClose={() => setOpen(null)} />}
        {open === 'remind' && <Remind item={item} />}
      </div>
    </li>
  )
}

function pageOf({ about, loid }: AttentionItem) {
  return about && loid ? paths[about](loid) : paths.webhook
}

/** Says in a few words why the item needs attention: '12 days in Pre Call, usually 3 days'. */
function reasonOf({ kind, request, retry, note, webhook, protected_until, standing, at }: AttentionItem): ReactNode {
  if (request) {
    const until = request.due_on === null ? '' : ` · until ${formatDate(request.due_on)}`
    return `${request.state === 'again' ? 'The lender asks again' : 'The lender asks'}: ${request.subject}${until}`
  }
  if (retry) {
    const what = retry.kind === 'note' ? 'A note could not reach the CRM' : 'Could not reach the CRM'
    return retry.problem ? `${what}: ${retry.problem}` : what
  }
  if (note) {
    const who = note.by ?? 'The lender'
    return (
      <>
        {note.count === 1 ? `${who} wrote` : `${note.count} notes, the last by ${who}`} ·{' '}
        <time dateTime={at} title={formatDateTime(at)}>
          <RelativeTime at={at} />
        </time>
      </>
    )
  }
  if (webhook) {
    const [what, since] = webhook.disabled_at
      ? ['The webhook has been disabled', webhook.disabled_at]
      : ['All deliveries have failed', webhook.failing_since]
    return `${what} since ${formatDateTime(since)}`
  }
  if (!standing) return ''
  const { value, meaning, days, usual } = standing
  if (kind === 'protection-ends')
    return `Yours until ${formatDate(protected_until)}. Tell the lender if it still goes on.`
  if (kind === 'awaits-deal') return `${NO_DEAL_YET} since ${formatDate(at)}. ${meaning}`
  const stay = days > 0 ? `${formatDays(days)} in ${value}` : value
  if (kind === 'your-turn') return meaning ? `${stay}. ${meaning}` : stay
  if (!usual) return stay
  return `${stay}, usually ${formatUsualDays(usual.days)}${usual.of === 'everybody' ? ' with other partners' : ''}`
}

interface ActionsProps {
  item: AttentionItem
  replyRef: RefObject<HTMLButtonElement | null>
  open: 'reply' | 'remind' | null
  onToggle: (part: 'reply' | 'remind') => void
}

/** On a phone the words of a button without a border begin where the text above begins. */
const FLUSH = 'max-sm:first:-ml-3'

/** A failed push is sent again, a failing webhook is opened, and everything else is answered in place. */
function Actions({ item, replyRef, open, onToggle }: ActionsProps) {
  const isLendersTurn = item.standing?.side === 'lender' && !item.note
  return (
    <>
      <May least="member">
        {item.retry ? (
          <Retry item={item} retry={item.retry} />
        ) : item.loid === null ? (
          <Link {...pageOf(item)} className={buttonClass('ghost', 'small', FLUSH)}>
            Open
          </Link>
        ) : (
          <Button
            ref={replyRef}
            variant={isLendersTurn ? 'ghost' : 'secondary'}
            size="small"
            className={isLendersTurn ? FLUSH : undefined}
            aria-label={`Reply to ${item.name}`}
            aria-expanded={open === 'reply'}
            icon={<Reply aria-hidden />}
            onClick={() => onToggle('reply')}
          >
            Reply
          </Button>
        )}
        {/* Only an answer settles what the lender asks. */}
        {!item.request && <Done item={item} />}
      </May>
      <Button
        variant="ghost"
        size="small"
        className={FLUSH}
        aria-label={`Remind me of ${item.name}`}
        aria-expanded={open === 'remind'}
        icon={<Clock aria-hidden />}
        onClick={() => onToggle('remind')}
      >
        Remind me
      </Button>
    </>
  )
}

function Done({ item }: { item: AttentionItem }) {
  const queryClient = useQueryClient()
  const markSeen = useMarkSeen(item)
  const done = useMutation({
    mutationKey: ACT_KEY,
    mutationFn: async () => {
      await markItemDone(queryClient, item.id)
      if (item.kind === 'lender-note') await markSeen()
    },
    onSuccess: () => toast.info(`Done for everybody: ${item.name}`),
    onError: toast.failure,
  })
  return (
    <Button
      variant="ghost"
      size="small"
      title="Done for everybody at your business"
      aria-label={`Done: ${item.name}`}
      busy={done.isPending}
      icon={<Check aria-hidden />}
      onClick={() => done.mutate()}
    >
      Done
    </Button>
  )
}

/**
 * Marks the news of the item's record as seen, because who has answered needs no mail that asks for the answer (D129). If
 * that fails, the news stays unseen.
 */
function useMarkSeen({ loid }: AttentionItem) {
  const queryClient = useQueryClient()
  const { data: news } = useQuery(newsQuery())
  return async () => {
    const refresh = () => refreshInbox(queryClient)
    await (news && loid !== null ? markRecordSeen(queryClient, news, loid).catch(refresh) : refresh())
  }
}

function ReplyForm({ item, onClose }: { item: AttentionItem; onClose: () => void }) {
  const queryClient = useQueryClient()
  const markSeen = useMarkSeen(item)
  // The answered item leaves the list although the focus is in it.
  const answered = useMutation({ mutationKey: ACT_KEY, mutationFn: markSeen })
  const { about, loid, request } = item
  if (about === null || loid === null) return null

  function handleAdded() {
    answered.mutate()
    for (const key of ['leads', 'deals', 'dashboard']) void queryClient.invalidateQueries({ queryKey: [key] })
    onClose()
  }

  return (
    <div className="mt-3">
      <Suspense fallback={<Spinner label="Loading the form" />}>
        <NoteForm
          parent={{ kind: about, loid, ...(request && { requestId: request.id }) }}
          label={`Reply to the lender about ${item.name}`}
          placeholder="Write to the lender…"
          action="Send Reply"
          hasFocus
          onAdded={handleAdded}
          onCancel={onClose}
        />
      </Suspense>
    </div>
  )
}

const MORNING_HOUR = 8
const REMINDERS = [
  { days: 1, label: 'Tomorrow', text: 'Hidden from you until tomorrow morning' },
  { days: 7, label: 'In a week', text: 'Hidden from you for a week' },
]

function Remind({ item }: { item: AttentionItem }) {
  const queryClient = useQueryClient()
  const remind = useMutation({
    mutationKey: ACT_KEY,
    mutationFn: (days: number) => remindOfItem(queryClient, item.id, morningIn(days)),
    onSuccess: (_nothing, days) => toast.info(REMINDERS.find((one) => one.days === days)?.text ?? ''),
    onError: toast.failure,
  })
  return (
    <fieldset className="mt-2 flex flex-wrap items-center gap-2">
      <legend className="sr-only">Remind me of {item.name}</legend>
      {REMINDERS.map(({ days, label }) => (
        <Button
          key={days}
          variant="secondary"
          size="small"
          busy={remind.isPending && remind.variables === days}
          onClick={() => remind.mutate(days)}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  )
}

function morningIn(days: number): Date {
  const at = new Date()
  at.setDate(at.getDate() + days)
  at.setHours(MORNING_HOUR, 0, 0, 0)
  return at
}

const RETRIES = { lead: retryLeadPush, deal: retryDealPush, note: retryNotePush }

function Retry({ item, retry }: { item: AttentionItem; retry: NonNullable<AttentionItem['retry']> }) {
  const queryClient = useQueryClient()
  const push = useMutation({
    mutationKey: ACT_KEY,
    mutationFn: () => call(RETRIES[retry.kind], { params: { id: retry.id } }),
    onSuccess: () => toast.info(`The ${retry.kind} is on its way to the CRM again`),
    onError: toast.failure,
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
