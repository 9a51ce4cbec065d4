import { zodResolver } from '@hookform/resolvers/zod'
import { isBlank } from '@portal/contract/clean-text.ts'
import {
  CONSENT_TEXT,
  inUsualCountry,
  missingFieldsText,
  type NewLead,
  type NewLeadForm,
  NewLeadOnForm,
} from '@portal/contract/lead-form.ts'
import { showsTaxFileNumber } from '@portal/contract/tax-file-number.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useIdempotencyKey } from '../../api/idempotency-key.ts'
import { readPersonId, readToken } from '../../api/token.ts'
import { paths } from '../../app/paths.ts'
import { useBlocker } from '../../router/blocker.ts'
import { Link } from '../../router/link.tsx'
import { useNavigate } from '../../router/router-view.tsx'
import { PrivacyNotice } from '../../session/privacy-notice.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useFirstErrorInView } from '../../ui/first-error.ts'
import { BackLink, PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.ts'
import { useWayBack } from '../../ui/way-back.ts'
import { TaxFileNumberWarning } from '../notes/tax-file-number-warning.tsx'
import { dropDraft, keepAttempt, keepDraft, keepDraftOfEndedSession, readDraft } from './lead-draft.ts'
import { submitLead, usualCountryQuery } from './leads.queries.ts'
import { EMPTY_LEAD, hasEntries, type LeadForm, settleAmounts, showFieldErrors, softWarnings } from './new-lead-form.ts'
import { ApplicantSections, LoanSections } from './new-lead-sections.tsx'
import { submitFailureText } from './submit-failure-text.ts'

const ADD_ANOTHER = 'add-another'
/** The longest time that a toast may stay, because nothing else on the page shows the LOID. */
const SUBMITTED_TOAST_MS = 8_000

interface Submission {
  lead: NewLead
  addsAnother: boolean
}

export function NewLeadPage() {
  const form = useForm<NewLeadForm, unknown, NewLead>({
    resolver: zodResolver(NewLeadOnForm),
    mode: 'onTouched',
    defaultValues: EMPTY_LEAD,
  })
  const draft = useDraft(form)
  // Grows each time a submission or `handleDiscard` empties the form, and so resets the state of the sections.
  const [round, setRound] = useState(0)
  const submission = useSubmission(form, draft.idempotency, () => setRound((before) => before + 1))
  useFirstFocus(form, round)
  useFirstErrorInView(form.formState.submitCount, submission.error)
  const guard = useUnsavedGuard(form.formState.isDirty, submission.isDone)
  const handleWayBack = useWayBack(paths.leads.to)

  function handleDiscard() {
    draft.discard()
    setRound((before) => before + 1)
  }

  return (
    <div className="max-w-6xl">
      <PageHeader
        title="New Lead"
        description="Fields marked * are required. The rest helps the lender to decide sooner."
        back={
          <BackLink {...paths.leads} onClick={handleWayBack}>
            Back to Leads
          </BackLink>
        }
      />
      {draft.isRestored && round === 0 && (
        <Alert kind="info" className="mb-5">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p>Your unsubmitted draft has been restored.</p>
            <Button variant="secondary" size="small" className="sm:-my-1.5" onClick={handleDiscard}>
              Discard draft
            </Button>
          </div>
        </Alert>
      )}
      <form noValidate onSubmit={submission.handleSubmit} className="grid grid-cols-1 gap-8">
        <ApplicantSections key={`applicant-${round}`} form={form} />
        <LoanSections key={`loan-${round}`} form={form} />
        <div className="in-reach border-t border-line pt-5 xl:ml-68">
          <p className="flex items-start gap-2.5 text-muted max-sm:text-xs">
            <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
            {CONSENT_TEXT}
          </p>
          <PrivacyNotice whose="the applicant’s" className="mt-1.5 pl-6.5 text-muted max-sm:text-xs" />
          {submission.sendAnyway && (
            <div className="mt-4">
              <TaxFileNumberWarning onSend={submission.sendAnyway} />
            </div>
          )}
          {/* On a phone the three buttons share one line. */}
          <div className="mt-4 flex flex-wrap gap-2 max-sm:mt-3 max-sm:gap-1.5 max-sm:*:grow max-sm:*:px-2.5 max-sm:*:text-[0.8125rem]">
            <Button type="submit" busy={submission.pending === 'one'}>
              Submit Lead
            </Button>
            <Button type="submit" value={ADD_ANOTHER} variant="secondary" busy={submission.pending === 'another'}>
              Submit and add another
            </Button>
            <Link {...paths.leads} onClick={handleWayBack} className={buttonClass('secondary')}>
              Cancel
            </Link>
          </div>
        </div>
      </form>
      <ConfirmDialog
        open={guard.isAsking}
        title="Discard this lead?"
        text="You have not submitted it yet. If you leave this page, everything you entered will be lost."
        confirmLabel="Discard"
        cancelLabel="Keep Editing"
        danger
        onConfirm={() => {
          dropDraft()
          guard.answer(true)
        }}
        onClose={() => guard.answer(false)}
      />
    </div>
  )
}

/**
 * Warns before the person leaves, reloads or closes a page with entries that were not submitted. It does not warn after
 * the session has ended, because the draft is kept in that case.
 */
function useUnsavedGuard(isDirty: boolean, isDone: () => boolean) {
  return useBlocker(() => isDirty && !isDone() && readToken() !== null)
}

/**
 * Keeps the typed text and its idempotency key through a reload, a crash or the end of the session, for the same person
 * in this tab. `isRestored` is true if a draft was found, and becomes false when the draft is discarded.
 */
function useDraft(form: LeadForm) {
  const [personId] = useState(readPersonId)
  const [draft, setDraft] = useState(() => readDraft(personId))
  const idempotency = useIdempotencyKey(draft?.attempt, keepAttempt)
  useEffect(() => {
    const stop = form.subscribe({
      formState: { values: true },
      callback: () => (hasEntries(form) ? keepDraft(form.getValues()) : dropDraft()),
    })
    if (draft) {
      form.reset(draft.values, { keepDefaultValues: true })
      keepAttempt(draft.attempt)
    }
    return stop
  }, [draft, form])
  useEffect(
    () => () => {
      if (personId !== null && readPersonId() !== personId && hasEntries(form)) {
        keepDraftOfEndedSession(personId, { values: form.getValues(), attempt: idempotency.lastAttempt() })
      }
    },
    [form, idempotency, personId],
  )
  return {
    idempotency,
    isRestored: draft !== null,
    discard() {
      setDraft(null)
      form.reset(EMPTY_LEAD)
      dropDraft()
    },
  }
}

/**
 * Moves the focus to the first field when the form opens, and each time the form is emptied. On a touch device the
 * focus does not move when the form opens, because the on-screen keyboard would cover half of the screen.
 */
function useFirstFocus(form: LeadForm, round: number) {
  useEffect(() => {
    if (round > 0 || window.matchMedia('(hover: hover) and (pointer: fine)').matches) form.setFocus('firstName')
  }, [form, round])
}

function useSubmission(form: LeadForm, idempotency: ReturnType<typeof useIdempotencyKey>, onAddAnother: () => void) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const done = useRef(false)
  const running = useRef(false)
  const isOpen = useIsOpen()
  const refusal = useRefusal(form)
  const [warned, setWarned] = useState<Submission>()
  useEffect(() => form.subscribe({ formState: { values: true }, callback: () => setWarned(undefined) }), [form])

  const submit = useMutation({
    mutationFn: ({ lead }: Submission) => submitLead(lead, idempotency.keyFor(lead)),
    async onSuccess({ loid }, { lead, addsAnother }) {
      // If the person has left the page, the draft in this tab belongs to another lead.
      const isLeft = !isOpen()
      if (!isLeft) {
        done.current = !addsAnother
        dropDraft()
      }
      void queryClient.invalidateQueries({ queryKey: ['leads'] })
      void queryClient.invalidateQueries({ queryKey: ['dashboard'] })
      if (!loid) toast.warning('The lead was submitted, but its LOID is not known yet. You will find it in your leads.')
      else if (addsAnother || isLeft) toast.success(`${lead.businessName} was submitted as ${loid}`, SUBMITTED_TOAST_MS)
      else toast.success('Lead submitted successfully')
      if (isLeft) return
      if (addsAnother) {
        idempotency.renew()
        form.reset(EMPTY_LEAD)
        onAddAnother()
      } else await navigate(loid ? paths.lead(loid) : paths.leads)
    },
    onError(error) {
      showFieldErrors(form, error)
      // Another toast has announced the end of the session. That toast is removed, because the specification's text is
      // enough.
      if (readToken() === null) toast.clear()
      refusal.tell(submitFailureText(error))
    },
    onSettled() {
      running.current = false
    },
  })

  function handleValid(lead: NewLead, addsAnother: boolean) {
    const isShown = [lead.loanPurpose, lead.additionalInfo].some((text) => text && showsTaxFileNumber(text))
    if (isShown) setWarned({ lead, addsAnother })
    else send(lead, addsAnother)
  }

  function send(lead: NewLead, addsAnother: boolean) {
    setWarned(undefined)
    // A second click may arrive before the button shows that the first submission is running.
    if (running.current) return
    running.current = true
    refusal.close()
    for (const warning of softWarnings(lead)) toast.warning(warning)
    const usual = queryClient.getQueryData(usualCountryQuery().queryKey)?.iso ?? 'AU'
    submit.mutate({ lead: inUsualCountry(lead, usual), addsAnother })
  }

  function handleInvalid() {
    const values = form.getValues()
    // If the business name consists of blanks, the applicant's own name replaces it.
    const missing = REQUIRED_NAMES.filter((name) =>
      name === 'businessName' ? values[name] === '' : isBlank(values[name]),
    )
    if (missing.length > 0) refusal.tell(missingFieldsText(missing))
  }

  return {
    pending: submit.isPending ? (submit.variables.addsAnother ? 'another' : 'one') : null,
    error: submit.error,
    isDone: () => done.current,
    /** Sends a lead that shows a tax file number; undefined unless one is held back. */
    sendAnyway: warned && (() => send(warned.lead, warned.addsAnother)),
    handleSubmit(event: SubmitEvent) {
      const { submitter } = event.nativeEvent
      const addsAnother = submitter instanceof HTMLButtonElement && submitter.value === ADD_ANOTHER
      settleAmounts(form)
      void form.handleSubmit((lead) => handleValid(lead, addsAnother), handleInvalid)(event)
    },
  }
}

/** The toast that says why the form was refused. It closes when the form changes. */
function useRefusal(form: LeadForm) {
  const shown = useRef<string>(undefined)
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: () => shown.current && toast.close(shown.current) }),
    [form],
  )
  return {
    tell(text: string) {
      shown.current = toast.error(text)
    },
    close() {
      if (shown.current) toast.close(shown.current)
    },
  }
}

/** Returns a function that says whether the page is still open. */
function useIsOpen(): () => boolean {
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  return () => isOpen.current
}

const REQUIRED_NAMES = ['firstName', 'lastName', 'email', 'phone', 'businessName'] as const
