import type { Statement } from '@portal/contract/payments.ts'
import { asOpened } from '../../crm/zoho/call-order.ts'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../platform/errors.ts'
import { OpenedFile } from '../../platform/http/mount.ts'
import { plainName } from '../../records/documents/document-name.ts'
import { awaitsLender } from '../../records/partners/hold-of.ts'
import { getPartner } from '../../records/partners/partners.queries.ts'

/** The CRM has to begin its answer within this time. */
const ANSWER_MS_MAX = 20_000
const IS_STATEMENT = /^statement/i

/** The lender's statements, as they are in the CRM now, the newest first (D110). */
export async function findStatements(deps: Pick<Deps, 'db' | 'crm'>, partnerId: string): Promise<Statement[]> {
  const place = await findPlace(deps, partnerId)
  if (!place) return []
  const all = await asOpened(() => deps.crm.listAttachments(place, AbortSignal.timeout(ANSWER_MS_MAX)))
  return (all ?? [])
    .filter(({ name }) => IS_STATEMENT.test(name))
    .map(({ zoho_id: id, name, size, added_at }) => ({ id, name: plainName(name), size, added_at }))
    .toSorted((a, b) => b.added_at.localeCompare(a.added_at) || a.name.localeCompare(b.name))
}

/** Opens a statement, as it arrives from the CRM. Other files of the record are not the partner's. */
export async function openPartnersStatement(
  deps: Pick<Deps, 'db' | 'crm'>,
  partnerId: string,
  id: string,
): Promise<OpenedFile> {
  const place = await findPlace(deps, partnerId)
  const statement = (await findStatements(deps, partnerId)).find((one) => one.id === id)
  const waiting = AbortSignal.timeout(ANSWER_MS_MAX)
  const content =
    place && statement && (await asOpened(() => deps.crm.openAttachment({ ...place, zoho_id: id }, waiting)))
  if (!content) throw new NotFound('Statement not found')
  return new OpenedFile(statement.name, 'application/octet-stream', content)
}

/** The partner's own record; undefined while the partner is not connected with it. */
async function findPlace({ db }: Pick<Deps, 'db'>, partnerId: string) {
  const partner = await getPartner(db, partnerId)
  if (partner.zoho_id === null || partner.crm === 'held' || awaitsLender(partner)) return undefined
  return { module: 'Partners', record_zoho_id: partner.zoho_id } as const
}
