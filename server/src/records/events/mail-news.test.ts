import { expect, test } from 'vitest'
import { newsOf } from './mail-news.ts'

const about = { partnerId: 'p', loid: 'LO-00000000', at: '2026-11-23T00:00:00.000Z' }
const named = { business_name: 'Clearview Glass', amount: null }

test.each([
  ['Contacted', 'lead-status'],
  ['Lost Lead', 'outcome'],
  ['Dead Lead', 'outcome'],
  ['Application Declined', 'outcome'],
])('the lead status %s is news of the kind %s', (status, kind) => {
  const data = { ...named, status, previous: 'Pre Call' }
  expect(newsOf({ ...about, type: 'lead.status_changed', data }, 'id')).toMatchObject([{ kind }])
})

test.each([
  ['Approved', 'deal-stage'],
  ['Funded', 'outcome'],
  ['Thrown To Kestrel Capital', 'outcome'],
  ['Rejected', 'outcome'],
  ['Withdrawn', 'outcome'],
])('the deal stage %s is news of the kind %s', (stage, kind) => {
  const data = { ...named, deal_name: 'Van', stage, previous: 'Pending Approval' }
  expect(newsOf({ ...about, type: 'deal.stage_changed', data }, 'id')).toMatchObject([{ kind }])
})
