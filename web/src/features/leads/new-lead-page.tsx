import { zodResolver } from '@hookform/resolvers/zod'
import {
  CONSENT_TEXT,
  missingFieldsText,
  type NewLead,
  type NewLeadForm,
  NewLeadOnForm,
} from '@portal/contract/leads.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useBlocker, useNavigate } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Failure } from '../../api/failure.ts'
import { useIdempotencyKey } from '../../api/idempotency-key.ts'
import { readToken } from '../../api/token.ts'
import { paths } from '../../app/paths.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { BackLabel, backLinkClass, PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.ts'
import { useWayBack } from '../../ui/way-back.ts'
import { dropDraft, keepDraft, readDraft } from './lead-draft.ts'
import { submitLead } from './leads.queries.ts'
import {
  EMPTY_LEAD,
  hasEntries,
  LEAD_FIELD_NAMES,
  type LeadForm,
  settleAmounts,
  softWarnings,
} from './new-lead-form.ts'
import { ApplicantSections, LoanSections } from './new-lead-sections.tsx'
import { submitFailureText } from './submit-failure-text.ts'

const SUBMIT_KEY = ['leads', 'submit']

export function NewLeadPage() {
  const form = useForm<NewLeadForm, unknown, NewLead>({
    resolver: zodResolver(NewLeadOnForm),
    mode: 'onTouched',
    defaultValues: EMPTY_LEAD,
  })
  const isRestored = useDraft(form)
  const submission = useSubmission(form)
  const guard = useUnsavedGuard(form.formState.isDirty, submission.isDone)
  const handleWayBack = useWayBack(paths.leads.to)

  return (
    <div className="max-w-6xl">
      <PageHeader
        title="New Lead"
        description="Fields marked * are required. The rest helps the lender to decide sooner."
        back={
          <Link {...paths.leads} onClick={handleWayBack} className={backLinkClass}>
            <BackLabel>Back to Leads</BackLabel>
          </Link>
        }
      />
      {isRestored && (
        <Alert kind="info" className="mb-5">
          What you had entered before you were signed out is here again.
        </Alert>
      )}
      <form noValidate onSubmit={submission.handleSubmit} className="grid grid-cols-1 gap-8">
        <ApplicantSections form={form} />
        <LoanSections form={form} />
        <div className="border-t border-line pt-5 xl:ml-68">
          <p className="flex items-start gap-2.5 text-muted">
            <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
            {CONSENT_TEXT}
          </p>
          <div className="mt-4 flex flex-wrap gap-2">
            <Button type="submit" busy={submission.isPending}>
              Submit Lead
            </Button>
            <Link {...paths.leads} onClick={handleWayBack} className={buttonClass('secondary')}>
              Cancel
            </Link>
          </div>
        </div>
      </form>
      <ConfirmDialog
        open={guard.status === 'blocked'}
        title="Discard this lead?"
        text="You have not submitted it yet. If you leave this page, everything you entered will be lost."
        confirmLabel="Discard"
        cancelLabel="Keep Editing"
        danger
        onConfirm={() => {
          dropDraft()
          guard.proceed?.()
        }}
        onClose={() => guard.reset?.()}
      />
    </div>
  )
}

/** Warns on every way out, the browser's own included. A session that has ended leaves nothing to come back to. */
function useUnsavedGuard(isDirty: boolean, isDone: () => boolean) {
  function isUnsaved() {
    return isDirty && !isDone() && readToken() !== null
  }
  return useBlocker({ shouldBlockFn: isUnsaved, enableBeforeUnload: isUnsaved, withResolver: true })
}

/** A session that ends takes the form away, but not what was typed: the same partner finds it after signing in again. */
function useDraft(form: LeadForm): boolean {
  const partnerId = useQuery({ ...sessionQuery(), enabled: false }).data?.partnerId
  const [draft] = useState(() => readDraft(partnerId))
  useEffect(() => {
    if (draft) form.reset(draft, { keepDefaultValues: true })
  }, [draft, form])
  useEffect(
    () => () => {
      if (partnerId !== undefined && readToken() === null && hasEntries(form)) keepDraft(partnerId, form.getValues())
    },
    [form, partnerId],
  )
  return draft !== null
}

function useSubmission(form: LeadForm) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const idempotency = useIdempotencyKey()
  const done = useRef(false)

  const submit = useMutation({
    mutationKey: SUBMIT_KEY,
    mutationFn: (lead: NewLead) => submitLead(lead, idempotency.keyFor(lead)),
    async onSuccess({ loid }) {
      done.current = true
      dropDraft()
      void queryClient.invalidateQueries({ queryKey: ['leads'] })
      void queryClient.invalidateQueries({ queryKey: ['dashboard'] })
      if (loid) {
        toast.success('Lead submitted successfully')
        await navigate(paths.lead(loid))
      } else {
        toast.warning('The lead was submitted, but its LOID is not known yet. You will find it in your leads.')
        await navigate(paths.leads)
      }
    },
    onError(error) {
      showFieldErrors(form, error)
      // The end of the session has been told too, in words of our own: the specification's are enough.
      if (readToken() === null) toast.clear()
      toast.error(submitFailureText(error))
    },
  })

  function handleValid(lead: NewLead) {
    // A second click may come before the first has been drawn.
    if (queryClient.isMutating({ mutationKey: SUBMIT_KEY }) > 0) return
    for (const warning of softWarnings(lead)) toast.warning(warning)
    submit.mutate(lead)
  }

  function handleInvalid() {
    const values = form.getValues()
    // A business name of blanks only stands for the applicant's own name.
    const missing = REQUIRED_NAMES.filter(
      (name) => (name === 'businessName' ? values[name] : values[name].trim()) === '',
    )
    if (missing.length > 0) toast.error(missingFieldsText(missing))
  }

  return {
    isPending: submit.isPending,
    isDone: () => done.current,
    handleSubmit(event: SubmitEvent) {
      settleAmounts(form)
      void form.handleSubmit(handleValid, handleInvalid)(event)
    },
  }
}

const REQUIRED_NAMES = ['firstName', 'lastName', 'email', 'phone', 'businessName'] as const

/** What the server says about fields stands on those fields, and the first of them gets the focus. */
function showFieldErrors(form: LeadForm, error: unknown) {
  if (!(error instanceof Failure)) return
  const named = LEAD_FIELD_NAMES.filter((name) => error.fields[name] !== undefined)
  for (const [position, name] of named.entries()) {
    form.setError(name, { type: 'server', message: error.fields[name] }, { shouldFocus: position === 0 })
  }
}
