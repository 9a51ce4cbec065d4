import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../platform/db/database.ts'
import { createDatabase } from '../../testing/databases.ts'

/**
 * The call that needs each index. Each insert of a lead writes most of them, so an index without a call goes. With a
 * million leads, 100,000 of one partner, all of these were used, or their call reads a whole portfolio without them.
 */
const NEEDED_BY = {
  leads: {
    leads_pkey: 'the rows of a page',
    leads_loid_key: 'a lead’s page; no two records have one LOID',
    leads_zoho_id_key: 'a pull; no two rows have one CRM record',
    leads_listed: 'the list',
    leads_listed_by_status: 'the list’s filter by status',
    leads_listed_by_source: 'the list’s filter by source',
    leads_listed_by_submitter: 'the list’s filter by person',
    leads_by_verdict: 'the list’s filter by verdict',
    leads_sorted_by_name: 'the list, sorted',
    leads_sorted_by_loid: 'the list, sorted',
    leads_sorted_by_amount: 'the list, sorted',
    leads_sorted_by_iso: 'the list, sorted',
    leads_sorted_by_change: 'the list, sorted, and its filter by change',
    leads_read_through: 'a search for common words',
    leads_looked_up: 'a search for rare words',
    leads_unkeyed: 'a search, which looks up trigrams only if each row has them',
    leads_unfolded: 'the start, which refuses rows that no search finds',
    leads_by_time: 'the dashboard’s trends, and the country of most of the latest leads',
    leads_by_conversion: 'the dashboard’s trends',
    leads_standing: 'the leads that wait too long, under Needs attention',
    leads_protected: 'the protections that end soon, under Needs attention',
    leads_failed: 'the failed pushes, under Needs attention',
    leads_awaiting_deal: 'the converted leads without a deal, under Needs attention',
    leads_by_email: 'the warning about a lead that was submitted before',
    leads_by_phone: 'the warning about a lead that was submitted before',
    leads_by_abn: 'the warning about a lead that was submitted before',
    leads_with_unusual_email: 'the warning about a lead that was submitted before',
    leads_matchable_by_email: 'a deal that may replace a lead',
    leads_matchable_by_phone: 'a deal that may replace a lead',
    leads_match_untold: 'a sync’s answer, which counts matches once',
    leads_to_push: 'a push, which takes other waiting leads along',
    leads_in_crm: 'a sync, which compares pages with the CRM',
    leads_due: 'the histories and notes that are read later',
    leads_by_archive: 'the removal of archived leads',
  },
  deals: {
    deals_pkey: 'the rows of a page',
    deals_loid_key: 'a deal’s page; no two deals have one LOID',
    deals_zoho_id_key: 'a pull; no two rows have one CRM record',
    deals_by_lead: 'the deal of a lead',
    deals_listed_with_amount: 'the list, its filter by amount, and the dashboard’s trends',
    deals_listed_by_stage: 'the list’s filter by stage',
    deals_listed_by_submitter: 'the list’s filter by person',
    deals_sorted_by_name: 'the list, sorted',
    deals_sorted_by_loid: 'the list, sorted',
    deals_sorted_by_amount: 'the list, sorted',
    deals_sorted_by_change: 'the list, sorted, and its filter by change',
    deals_read_through: 'a search for common words',
    deals_looked_up: 'a search for rare words',
    deals_unkeyed: 'a search, which looks up trigrams only if each row has them',
    deals_unfolded: 'the start, which refuses rows that no search finds',
    deals_with_payment: 'the payments',
    deals_by_day_of_payment: 'the commissions whose day has come',
    deals_standing: 'the deals that wait too long, under Needs attention',
    deals_failed: 'the failed pushes, under Needs attention',
    deals_with_unusual_email: 'a deal that may replace a lead',
    deals_matchable_by_email: 'a lead that a deal may replace',
    deals_matchable_by_phone: 'a lead that a deal may replace',
    deals_to_push: 'a push, which takes other waiting deals along',
    deals_in_crm: 'a sync, which compares pages with the CRM',
    deals_due: 'the histories and notes that are read later',
    deals_by_archive: 'the removal of archived deals',
  },
}

test.each(['leads', 'deals'] as const)('each index of %s names the call that needs it', async (table) => {
  const { url } = await createDatabase()
  const { db, close } = openDatabase(url, () => undefined)
  const { rows } = await sql<{ name: string }>`
    select indexname as name from pg_indexes where schemaname = 'public' and tablename = ${table}`.execute(db)
  await close()
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(NEEDED_BY[table]).toSorted())
})
