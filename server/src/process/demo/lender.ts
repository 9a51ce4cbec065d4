import { findRowsOf } from '../../crm/pull/find-rows-of.ts'
import { pullDocumentsOf } from '../../crm/pull/pull-documents.ts'
import { pullForAll } from '../../crm/pull/pull-for-all.ts'
import { pullNotesOf } from '../../crm/pull/pull-notes.ts'
import { pullPartners } from '../../crm/pull/pull-partners.ts'
import { pullRecords } from '../../crm/pull/pull-records.ts'
import type { Deps } from '../../deps.ts'
import type { CrmModule } from '../../records/crm-records.ts'
import { findDocuments } from '../../records/documents/documents.queries.ts'
import { getPartner } from '../../records/partners/partners.queries.ts'
import { getByEmail, MIA } from './cast.ts'
import { pdfOf } from './files.ts'
import type { Referrals } from './referrals.ts'
import type { Act } from './story.ts'

export type DemoLender = ReturnType<typeof openDemoLender>

/** The lender's staff, who act in the sandbox. */
export function openDemoLender(crmUrl: string, referrals: Referrals) {
  return { setClock, sendForm, actAsStaff, attach, fillPartner }

  /** Sets the sandbox's clock to this time, or right. */
  async function setClock(deps: Deps, time: Date | undefined): Promise<void> {
    const seconds = time ? Math.round((time.getTime() - deps.clock.now().getTime()) / 1_000) : 0
    const answer = await fetch(`${crmUrl}/sandbox/behaviour`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clockShiftSeconds: seconds }),
    })
    if (!answer.ok) throw new Error(`the sandbox did not set its clock: ${await answer.text()}`)
  }

  /** Sends a form of the sandbox's staff page. Returns the record that it shows then. */
  async function sendForm(business: string, what: string, form: Record<string, string>) {
    const { loid, on } = referrals.find(business)
    const body = new URLSearchParams(form)
    const answer = await fetch(`${crmUrl}/${on}s/${loid}/${what}`, { method: 'POST', body, redirect: 'manual' })
    const to = new URL(answer.headers.get('location') ?? '', crmUrl)
    const [, section, zohoId = ''] = to.pathname.split('/')
    if (answer.status !== 303 || to.searchParams.has('problem')) {
      throw new Error(`the sandbox refused ${what} of ${business}: ${to.search}`)
    }
    const module: CrmModule = section === 'deals' ? 'Deals' : 'Leads'
    return { module, zohoId }
  }

  /** Sends a form of the sandbox's staff page, and pulls what it changed. */
  async function actAsStaff(acting: Deps, business: string, what: string, form: Record<string, string>): Promise<void> {
    const { module, zohoId } = await sendForm(business, what, form)
    const { signal } = new AbortController()
    if (what !== 'notes') {
      await pullRecords(pullForAll(acting, module === 'Deals' ? 'deals' : 'leads', signal), module, [zohoId])
      return
    }
    const rows = await findRowsOf(acting, module, [zohoId])
    const records = rows.map((row) => ({ ...row, module, zoho_id: zohoId }))
    await pullNotesOf({ deps: acting, signal }, records, () => true)
  }

  /** Attaches a file as staff, and looks at the record's documents before and after, so that the file is news. */
  async function attach(acting: Deps, { on, name, lines }: Extract<Act, { does: 'attach' }>): Promise<void> {
    const { loid, on: kind } = referrals.find(on)
    const { partner_id } = await getByEmail(acting, MIA.email)
    const look = () => pullDocumentsOf(acting, partner_id, loid, { isWanted: true })
    await look()
    if ((await findDocuments(acting.reads, partner_id, loid)).some((document) => document.name === name)) return
    const form = new FormData()
    form.append('file', new Blob([pdfOf(lines)]), name)
    await fetch(`${crmUrl}/${kind}s/${loid}/attachments`, { method: 'POST', body: form, redirect: 'manual' })
    await look()
  }

  async function fillPartner(acting: Deps, fields: Record<string, string>): Promise<void> {
    const { partner_id } = await getByEmail(acting, MIA.email)
    const { zoho_id } = await getPartner(acting.db, partner_id)
    const body = new URLSearchParams(fields)
    await fetch(`${crmUrl}/partners/${zoho_id}/fields`, { method: 'POST', body, redirect: 'manual' })
    await pullPartners(acting, zoho_id === null ? [] : [zoho_id], new AbortController().signal)
  }
}
