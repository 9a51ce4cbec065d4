import { listDeals } from '@portal/contract/deals.ts'
import { listLeads } from '@portal/contract/leads.ts'
import { MINE } from '@portal/contract/submitted-by.ts'
import type pg from 'pg'
import * as z from 'zod/mini'
import { findUsualCountry } from '../features/accounts/usual-country.queries.ts'
import { isPlainFirstPage } from '../platform/db/find-page.ts'
import { findDeals, findNewestDeals } from '../records/deals/deal-list.queries.ts'
import { parseStatusMeanings } from '../records/histories/status-meanings.ts'
import { findLeads, findNewestLeads } from '../records/leads/lead-list.queries.ts'
import { type Recorder, statementsOf } from './statements-of.ts'

/** The contract's sides, and no meanings. */
const MEANINGS = parseStatusMeanings('')

/** A scan of a plan: what it reads, and how many entries. */
export interface Scan {
  of: string
  isIndex: boolean
  entries: number
}

interface Lister {
  id: string
  businessName: string
  personId: string
}

/** The scans of all statements that answer this address: a list that does not search, or the usual country. Otherwise undefined. */
export async function scansOfList(pool: pg.Pool, lister: Lister, address: string): Promise<Scan[] | undefined> {
  const find = findList(lister, new URL(address, 'http://localhost'))
  if (!find) return undefined
  const scans: Scan[] = []
  for (const { text, values } of await statementsOf(pool, find)) {
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `explain (analyze, timing off, format json) ${text}`,
      values,
    )
    for (const row of rows) collect(row['QUERY PLAN'][0].Plan, scans)
  }
  return scans
}

function findList(lister: Lister, { pathname, searchParams }: URL) {
  const query = Object.fromEntries(searchParams)
  if (query['search'] !== undefined) return undefined
  if (query['person'] === MINE) query['person'] = lister.personId
  if (pathname === '/api/dashboard/usual-country') return ({ db }: Recorder) => findUsualCountry(db, lister.id)
  if (pathname === '/api/dashboard/deals') {
    const filters = z.parse(listDeals.query, query)
    if (isPlainFirstPage(filters)) return ({ reads }: Recorder) => findNewestDeals(reads, lister.id, filters.limit, [])
    return (source: Recorder) => findDeals(source, lister.id, filters, 'UTC', MEANINGS)
  }
  if (pathname !== '/api/dashboard/leads') return undefined
  const filters = z.parse(listLeads.query, query)
  if (isPlainFirstPage(filters)) return ({ reads }: Recorder) => findNewestLeads(reads, lister, filters.limit, [])
  return (source: Recorder) => findLeads(source, lister, filters, 'UTC', MEANINGS)
}

interface Node {
  'Index Name'?: string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

function collect(node: Node, scans: Scan[]): void {
  const index = node['Index Name']
  const of = index ?? node['Relation Name']
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  if (of !== undefined) scans.push({ of, isIndex: index !== undefined, entries: each * node['Actual Loops'] })
  for (const below of node.Plans ?? []) collect(below, scans)
}
