import type { IsoCountry } from '@portal/contract/choices.ts'
import { type InUsualCountry, inUsualCountry } from '@portal/contract/lead-form.ts'
import type { Db } from '../../platform/db/database.ts'

/** More leads would not change the answer, but a large partner's take long to count. */
const LATEST_LEADS = 500

/** The country of most of the partner's latest leads that stand, Australia if there are as many from each. */
export async function findUsualCountry(db: Db, partnerId: string): Promise<IsoCountry> {
  const row = await db
    .selectFrom((from) =>
      from
        .selectFrom('leads')
        .select('partner_iso')
        .where('partner_id', '=', partnerId)
        .where('archived_at', 'is', null)
        .orderBy('created_at', 'desc')
        .limit(LATEST_LEADS)
        .as('latest'),
    )
    .select((eb) => eb.fn.countAll().filterWhere('partner_iso', '=', 'NZ').as('nz'))
    .select((eb) => eb.fn.countAll().filterWhere('partner_iso', '=', 'AU').as('au'))
    .executeTakeFirstOrThrow()
  return Number(row.nz) > Number(row.au) ? 'NZ' : 'AU'
}

/** The form with the phone number that it means, if only the partner's other leads can tell (D120). */
export async function withUsualCountry<Form extends InUsualCountry>(
  db: Db,
  partnerId: string,
  form: Form,
): Promise<Form> {
  return form.phoneInNewZealand ? inUsualCountry(form, await findUsualCountry(db, partnerId)) : form
}
