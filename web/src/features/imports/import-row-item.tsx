import {
  IMPORT_FIELD_LABELS,
  IMPORT_FIELD_NAMES,
  type ImportFieldName,
  type ImportRow,
  type RowStanding,
} from '@portal/contract/imports.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { useMutation } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'
import { TextField } from '../../ui/field.tsx'
import { isEnter } from '../../ui/is-enter.ts'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'
import { toast } from '../../ui/toast.ts'
import { mendRow } from './imports.queries.ts'

const STANDINGS: Record<RowStanding, { text: string; variant: BadgeVariant }> = {
  ready: { text: 'Ready', variant: 'success' },
  wrong: { text: 'To mend', variant: 'error' },
  duplicate: { text: 'Like another', variant: 'warning' },
  known: { text: 'Imported before', variant: 'secondary' },
}

type Mended = Awaited<ReturnType<typeof mendRow>>

interface ImportRowItemProps {
  importId: string
  row: ImportRow
  onMended: ((mended: Mended) => void) | undefined
}

/** One row of a file. Its wrong fields can be mended here, and all others once they are unfolded. */
export function ImportRowItem({ importId, row, onMended }: ImportRowItemProps) {
  const [isOpen, setOpen] = useState(false)
  const fieldsId = useId()
  const { number, values, problems, standing, outcome, undo } = row
  const [name = 'Row without a name', ...details] = wordsOf(row)
  const wrong = problems.flatMap(({ field }) => field ?? [])
  const fields = IMPORT_FIELD_NAMES.filter(
    (field) => (isOpen ? isEditable(field, values) : false) || wrong.includes(field),
  )
  const { text, variant } = undo ? UNDONE[undo] : outcome ? OUTCOMES[outcome] : STANDINGS[standing]
  const mend = useMutation({
    mutationFn: (changed: ImportRow['values']) => mendRow(importId, number, changed),
    onSuccess: (mended) => onMended?.(mended),
    onError: toast.failure,
  })
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="text-[0.8125rem] text-muted tabular-nums">Row {number}</span>
            <span className="font-medium break-words">{name}</span>
          </p>
          {details.length > 0 && <p className="text-[0.8125rem] break-words text-muted">{details.join(' · ')}</p>}
          <Remarks row={row} />
        </div>
        <div className="flex shrink-0 items-center gap-2">
          <Badge variant={variant}>{text}</Badge>
          {onMended && standing !== 'known' && (
            <Button
              variant="ghost"
              size="small"
              aria-expanded={isOpen}
              aria-controls={fieldsId}
              aria-label={`Edit row ${number}`}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Close' : 'Edit'}
            </Button>
          )}
        </div>
      </div>
      <div id={fieldsId}>
        {onMended && standing !== 'known' && fields.length > 0 && (
          <div className="mt-3 grid grid-cols-1 gap-3 sm:grid-cols-2">
            {fields.map((field) => {
              const problem = problems.find((one) => one.field === field)
              const offer = problem?.offer
              return (
                <MendField
                  // A field that the server has cleaned, or that took an offer, shows its new text.
                  key={`${field} ${values[field]}`}
                  field={field}
                  value={values[field] ?? ''}
                  error={problem?.message}
                  onValue={(value) => mend.mutate({ [field]: value })}
                  offer={
                    offer && (
                      <Button
                        variant="secondary"
                        size="small"
                        busy={mend.isPending}
                        onClick={() => mend.mutate({ [field]: offer })}
                      >
                        Yes, {offer}
                      </Button>
                    )
                  }
                />
              )
            })}
          </div>
        )}
      </div>
    </li>
  )
}

const OUTCOMES: Record<NonNullable<ImportRow['outcome']>, { text: string; variant: BadgeVariant }> = {
  submitted: { text: 'Submitted', variant: 'success' },
  'left-out': { text: 'Left out', variant: 'warning' },
}

const UNDONE: Record<NonNullable<ImportRow['undo']>, { text: string; variant: BadgeVariant }> = {
  withdrawn: { text: 'Withdrawn', variant: 'secondary' },
  kept: { text: 'Kept', variant: 'warning' },
}

/** What else is to be said of the row, in sentences. */
function Remarks({ row }: { row: ImportRow }) {
  const { duplicates, earlier, known_as, since, loid, problems, kept_because } = row
  const others = problems.filter(({ field }) => field === null)
  return (
    <div className="text-[0.8125rem] text-muted [&:not(:empty)]:mt-1">
      {loid && (
        <p>
          Submitted as <LeadLink loid={loid} />
        </p>
      )}
      {since && <p>{since}</p>}
      {kept_because && <p>{kept_because}</p>}
      {known_as && (
        <p>
          An import made <LeadLink loid={known_as} /> of this row before.
        </p>
      )}
      {!known_as &&
        duplicates.map(({ loid: other, business_name, matches }) => (
          <p key={other}>
            Looks like <LeadLink loid={other} />
            {business_name && <>: {business_name}</>}, same {matches.map((match) => MATCHES[match]).join(' and ')}
          </p>
        ))}
      {!known_as && earlier !== null && <p>Looks like row {earlier} of this file.</p>}
      {others.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  )
}

const MATCHES = { email: 'email', phone: 'phone', abn: 'business number' } as const

function LeadLink({ loid }: { loid: string }) {
  return (
    <Link {...paths.lead(loid)} target="_blank" className={textLinkClass}>
      {loid}
      <span className="sr-only"> (opens in a new tab)</span>
    </Link>
  )
}

interface MendFieldProps {
  field: ImportFieldName
  value: string
  error: string | undefined
  offer: React.ReactNode
  onValue: (value: string) => void
}

/** Saves its text when the person leaves it or presses Enter, so that nothing mended is lost. */
function MendField({ field, value, error, offer, onValue }: MendFieldProps) {
  const [text, setText] = useState(value)
  const ref = useRef<HTMLDivElement>(null)
  // The field goes once it is right.
  useFocusLeftBehind(ref)

  function handleDone() {
    if (text.trim() !== value.trim()) onValue(text)
  }

  return (
    <div ref={ref}>
      <TextField
        label={IMPORT_FIELD_LABELS[field]}
        value={text}
        error={error}
        hint={offer}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onBlur={handleDone}
        onKeyDown={(event) => {
          if (isEnter(event)) handleDone()
        }}
      />
    </div>
  )
}

/** The row in words: of the lead that it becomes, or as the file has it. */
function wordsOf({ lead, values }: ImportRow): string[] {
  const words = lead
    ? [
        lead.business_name,
        lead.lead_name,
        lead.email,
        formatPhone(lead.phone),
        lead.loan_amount && formatMoney(lead.loan_amount),
      ]
    : [
        values.businessName,
        values.leadName || [values.firstName, values.lastName].filter(Boolean).join(' '),
        values.email,
        values.phone,
        values.loanAmount,
      ]
  return words.flatMap((word) => (word ? String(word) : []))
}

/** A name in one cell is mended as first and last name only where the file has them. */
function isEditable(field: ImportFieldName, values: ImportRow['values']): boolean {
  return field !== 'leadName' || values.leadName !== undefined
}
