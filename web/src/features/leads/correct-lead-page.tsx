import { zodResolver } from '@hookform/resolvers/zod'
import { ISO_COUNTRIES } from '@portal/contract/choices.ts'
import { LEAD_RECORD } from '@portal/contract/lead-fields.ts'
import { type NewLead, type NewLeadForm, NewLeadOnForm } from '@portal/contract/lead-form.ts'
import { type LeadDetail } from '@portal/contract/leads.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { typedColumns } from '@portal/contract/record-fields.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { paths } from '../../app/paths.ts'
import { Link, Redirect } from '../../router/link.tsx'
import { useNavigate, useParam } from '../../router/router-view.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { KEEP_CHANGES } from '../../ui/changed-values.ts'
import { useFirstErrorInView } from '../../ui/first-error.ts'
import { BackLink, PageHeader } from '../../ui/page-header.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { useWayBack } from '../../ui/way-back.ts'
import { askCorrection, leadQuery } from './leads.queries.ts'
import { EMPTY_LEAD, type LeadForm, settleAmounts, showFieldErrors } from './new-lead-form.ts'
import { ApplicantSections, LoanSections } from './new-lead-sections.tsx'

/** The form of a new lead with what was typed, while the lender has not touched the lead (D86). */
export function CorrectLeadPage() {
  const loid = useParam()
  const { data, isPending } = useQuery(leadQuery(loid))
  const lead = data?.lead
  const handleWayBack = useWayBack(`/leads/${loid}`)
  // Once the form is there it stays, so that nothing typed is lost. A refusal says why the lead takes no correction now.
  const [begun, setBegun] = useState<string>()
  if (lead?.may_change && begun !== loid) setBegun(loid)
  // The lead's page says why the lead cannot be corrected any more, or that it could not be loaded.
  if (!isPending && begun !== loid && !lead?.may_change) return <Redirect {...paths.lead(loid)} />
  return (
    <div className="max-w-6xl">
      <PageHeader
        title="Correct Lead"
        description="The lender gets what you change here, unless it has begun to work on the lead."
        back={
          <BackLink {...paths.lead(loid)} onClick={handleWayBack}>
            Back to the lead
          </BackLink>
        }
      />
      {lead ? <CorrectionForm key={lead.loid} lead={lead} /> : <SkeletonRows rows={8} label="Loading lead" />}
    </div>
  )
}

function CorrectionForm({ lead }: { lead: LeadDetail }) {
  const { loid } = lead
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form: LeadForm = useForm<NewLeadForm, unknown, NewLead>({
    resolver: zodResolver(NewLeadOnForm),
    mode: 'onTouched',
    // What somebody else corrects meanwhile comes into the form. Otherwise saving the form would undo it.
    values: typedIn(lead),
    resetOptions: KEEP_CHANGES,
  })
  const correct = useMutation({
    mutationFn: (body: NewLead) => askCorrection(loid, body),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: leadQuery(loid).queryKey })
      await navigate({ ...paths.lead(loid), replace: true })
    },
    onError(error) {
      showFieldErrors(form, error)
      toast.failure(error)
    },
  })
  useFirstErrorInView(form.formState.submitCount, correct.error)

  function handleSubmit(event: SubmitEvent) {
    settleAmounts(form)
    void form.handleSubmit((body) => {
      if (!correct.isPending) correct.mutate(body)
    })(event)
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-8">
      <ApplicantSections form={form} ownLoid={loid} />
      <LoanSections form={form} />
      <div className="in-reach flex flex-wrap gap-2 border-t border-line pt-5 xl:ml-68">
        <Button type="submit" busy={correct.isPending}>
          Save Correction
        </Button>
        <Link {...paths.lead(loid)} className={buttonClass('secondary')}>
          Cancel
        </Link>
      </div>
    </form>
  )
}

function typedIn(lead: LeadDetail): NewLeadForm {
  const values = typedColumns(LEAD_RECORD).map(([column, name]) => [name, lead[column] ?? ''])
  return {
    ...EMPTY_LEAD,
    ...Object.fromEntries(values),
    phone: formatPhone(lead.phone) ?? '',
    iso: ISO_COUNTRIES.find((iso) => iso === lead.partner_iso) ?? null,
  }
}
