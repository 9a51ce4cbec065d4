import { needsAnswer, type Request } from '@portal/contract/requests.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Reply, Upload } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { formatDate, formatDateTime } from '../../format/dates.ts'
import { useSearch } from '../../router/router-view.tsx'
import { May } from '../../session/may.tsx'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Changing } from '../../ui/changing.tsx'
import { useKeptFocus } from '../../ui/keep-focus.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toast.ts'
import { ChooseFiles } from '../documents/choose-files.tsx'
import { NoteForm } from '../notes/note-form.tsx'
import type { TimelineOf } from './referral.queries.ts'

const STATES: Record<Request['state'], { name: string; variant: BadgeVariant }> = {
  asked: { name: 'Asked', variant: 'warning' },
  again: { name: 'Asked again', variant: 'warning' },
  sent: { name: 'Sent', variant: 'primary' },
  accepted: { name: 'Accepted', variant: 'success' },
  withdrawn: { name: 'Withdrawn', variant: 'secondary' },
}

interface RequestListProps {
  of: TimelineOf
  requests: readonly Request[]
  /** Called after an answer is sent. */
  onAnswered: () => void
}

/** What the lender asks about a referral: why, until when, what has become of it, and the answer in place (D105). */
export function RequestList({ of, requests, onAnswered }: RequestListProps) {
  const heading = useId()
  const wanted = useSearch(({ answer }) => answer)?.replaceAll('"', '')
  if (requests.length === 0) return null
  return (
    <section className="panel mb-6 min-w-0" aria-labelledby={heading}>
      <h2 id={heading} className="px-5 pt-4 text-[0.9375rem] font-semibold">
        What the lender asks
      </h2>
      <ul className="pb-1">
        {requests.map((request) => (
          <Item key={request.id} of={of} request={request} isWanted={request.id === wanted} onAnswered={onAnswered} />
        ))}
      </ul>
    </section>
  )
}

interface ItemProps extends Omit<RequestListProps, 'requests'> {
  request: Request
  /** Whether a mail's link has opened the page to answer this request. */
  isWanted: boolean
}

function Item({ of, request, isWanted, onAnswered }: ItemProps) {
  const { id, subject, reason, due_on, state, asked_at, answered_at } = request
  const [isOpen, setIsOpen] = useState(isWanted)
  const item = useRef<HTMLLIElement>(null)
  const reply = useRef<HTMLButtonElement>(null)
  useKeptFocus(reply, String(isOpen))
  useKeptFocus(item, `${state} ${isOpen}`)
  const queryClient = useQueryClient()
  const { name, variant } = STATES[state]
  const isAsked = needsAnswer(request)

  function handleAdded() {
    setIsOpen(false)
    onAnswered()
  }

  async function handleFiles(files: readonly File[]) {
    const { startUploads } = await import('../documents/uploads.ts')
    startUploads(files, { loid: of.loid, requestId: id }, (fileName, problem) => {
      if (problem === null) toast.success(`${fileName} is on its way to the lender`)
      else toast.error(`${fileName} was not sent. ${problem}`)
      void queryClient.invalidateQueries({ queryKey: ['documents', of.loid] })
      onAnswered()
    })
  }

  return (
    <li ref={item} tabIndex={-1} className="border-b border-line px-5 py-3.5 outline-none last:border-0">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <strong className="font-semibold wrap-anywhere">{subject}</strong>
            <Changing value={state} scope={id} announcement={`${subject}: ${name}`}>
              <Badge variant={variant}>{name}</Badge>
            </Changing>
          </p>
          {reason && <p className="mt-0.5 break-words whitespace-pre-line">{reason}</p>}
          <p className="mt-0.5 text-[0.8125rem] text-muted">
            {isAsked && due_on && <>Until {formatDate(due_on)} · </>}
            {state === 'sent' && answered_at !== null ? 'Answered ' : 'Asked '}
            <Time at={(state === 'sent' && answered_at) || asked_at} />
          </p>
        </div>
        {isAsked && (
          <May least="member">
            <span className="flex gap-2">
              <ChooseFiles
                icon={<Upload aria-hidden />}
                aria-label={`Upload: ${subject}`}
                onChoose={(files) => void handleFiles(files)}
              >
                Upload
              </ChooseFiles>
              {!isOpen && (
                <Button
                  ref={reply}
                  variant="secondary"
                  size="small"
                  aria-label={`Reply: ${subject}`}
                  icon={<Reply aria-hidden />}
                  onClick={() => setIsOpen(true)}
                >
                  Reply
                </Button>
              )}
            </span>
          </May>
        )}
      </div>
      {isAsked && isOpen && (
        <May least="member">
          <div className="mt-3">
            <NoteForm
              parent={{ ...of, requestId: id }}
              label={`Answer: ${subject}`}
              placeholder="Write to the lender…"
              action="Send Answer"
              hasFocus
              onAdded={handleAdded}
              onCancel={() => setIsOpen(false)}
            />
          </div>
        </May>
      )}
    </li>
  )
}

function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      <RelativeTime at={at} isInSentence />
    </time>
  )
}
