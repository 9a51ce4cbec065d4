import { describe, expect, test } from 'vitest'
import { type Answer, at, idOf, startTestSandbox } from '../test-sandbox.ts'
import { checkAnswer, hasZohoOas } from './zoho-oas.ts'

/** A path as Zoho's description of its API writes it, and the sandbox's answer. */
type Case = [file: string, method: string, path: string, answer: Answer]

describe.skipIf(!hasZohoOas)('answers fit Zoho’s own description of its API', () => {
  test('for records, queries, notes, histories, settings and notifications', async () => {
    await using sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
    const { call, coql } = sandbox
    const cases: Case[] = []
    const add = (file: string, method: string, path: string, answer: Answer) => cases.push([file, method, path, answer])

    const partner = await sandbox.add('Partners', { Name: 'Quayside', Email: 'hello@quayside.example' })
    const LEAD = {
      Last_Name: 'Okafor',
      Company: 'Okafor Freight',
      Email: 'nkem@okafor.example',
      LOID: 'LO-00000001',
      Lead_Status: 'New Lead',
      Partner: { id: partner },
      Loan_Amount: 150_000,
    }
    const made = await call('POST', '/crm/v8/Leads', { data: [LEAD] })
    const lead = idOf(made)
    add('record', 'POST', '/{module}', made)
    add('record', 'POST', '/{module}', await call('POST', '/crm/v8/Leads', { data: [LEAD] }))
    add('record', 'POST', '/{module}', await call('POST', '/crm/v8/Leads', { data: [LEAD, { Last_Name: 'Cole' }] }))
    add('record', 'GET', '/{module}', await call('GET', '/crm/v8/Leads?fields=Last_Name,Email,Partner&per_page=1'))
    add('record', 'GET', '/{module}', await call('GET', '/crm/v8/Leads'))
    add('record', 'GET', '/{module}/{recordID}', await call('GET', `/crm/v8/Leads/${lead}`))
    add('record', 'GET', '/{module}/{recordID}', await call('GET', '/crm/v8/Leads/x'))
    add(
      'record',
      'PUT',
      '/{module}/{recordID}',
      await call('PUT', `/crm/v8/Leads/${lead}`, { data: [{ Lead_Status: 'Contacted' }] }),
    )
    add(
      'record',
      'PUT',
      '/{module}',
      await call('PUT', '/crm/v8/Leads', { data: [{ id: lead, Lead_Status: 'Pre Call' }] }),
    )
    const upsert = { data: [LEAD], duplicate_check_fields: ['LOID'] }
    add('record', 'POST', '/{module}/upsert', await call('POST', '/crm/v8/Leads/upsert', upsert))
    const query = `select Last_Name, Partner, Modified_Time from Leads where Partner = '${partner}' limit 0, 2000`
    add('coql', 'POST', '/coql', await coql(query))
    add('coql', 'POST', '/coql', await coql('select Nothing from Leads where id is not null'))
    add('coql', 'POST', '/coql', await coql('select id from Leads'))
    add('module-search', 'GET', '/{module}/search', await call('GET', '/crm/v8/Leads/search?word=Okafor'))
    add(
      'module-search',
      'GET',
      '/{module}/search',
      await call('GET', '/crm/v8/Leads/search?criteria=(Nothing:equals:1)'),
    )
    add('record-count', 'GET', '/{moduleApiName}/actions/count', await call('GET', '/crm/v8/Leads/actions/count'))
    const note = {
      Note_Title: 'Portal',
      Note_Content: 'Called.',
      Parent_Id: { module: { api_name: 'Leads' }, id: lead },
    }
    add('notes', 'POST', '/Notes', await call('POST', '/crm/v8/Notes', { data: [note] }))
    const NOTE_FIELDS = 'Note_Title,Note_Content,Parent_Id,Owner,Created_Time,Modified_Time'
    add('notes', 'GET', '/Notes', await call('GET', `/crm/v8/Notes?fields=${NOTE_FIELDS}`))
    const ofLead = '/{parentRecordModule}/{parentRecordId}/Notes'
    add(
      'related-notes',
      'POST',
      ofLead,
      await call('POST', `/crm/v8/Leads/${lead}/Notes`, { data: [{ Note_Content: 'Again.' }] }),
    )
    add('related-notes', 'GET', ofLead, await call('GET', `/crm/v8/Leads/${lead}/Notes?fields=${NOTE_FIELDS}`))
    const timeline = '/{module}/{recordId}/__timeline'
    add('timelines', 'GET', timeline, await call('GET', `/crm/v8/Leads/${lead}/__timeline`))
    await sandbox.control('POST', '/sandbox/behaviour', { workflowOnCreation: true })
    const moved = await sandbox.add('Leads', { Last_Name: 'Moved', Lead_Status: 'New Lead' })
    add('timelines', 'GET', timeline, await call('GET', `/crm/v8/Leads/${moved}/__timeline`))
    const options = '/Leads/{leadId}/__conversion_options'
    await sandbox.add('Accounts', { Account_Name: 'Okafor Freight' })
    add('conversion-option', 'GET', options, await call('GET', `/crm/v8/Leads/${lead}/__conversion_options`))
    const DEAL = { Deal_Name: 'Okafor', Stage: 'Information Received', Closing_Date: '2026-06-30' }
    const convert = () => call('POST', `/crm/v8/Leads/${lead}/actions/convert`, { data: [{ Deals: DEAL }] })
    const converted = await convert()
    const deal = String(at(converted.body, 'data.0.details.Deals.id'))
    add('convert', 'POST', '/Leads/{leadId}/actions/convert', converted)
    add('convert', 'POST', '/Leads/{leadId}/actions/convert', await convert())
    const stages = '/{parentRecordModule}/{parentRecord}/{relatedList}'
    const STAGE_FIELDS = 'Stage,Moved_To__s,Amount,Modified_Time,Modified_By'
    add(
      'related-records',
      'GET',
      stages,
      await call('GET', `/crm/v8/Deals/${deal}/Stage_History?fields=${STAGE_FIELDS}`),
    )
    const layouts = await call('GET', '/crm/v8/settings/layouts?module=Deals')
    const layout = String(at(layouts.body, 'layouts.0.id'))
    add('pipeline', 'GET', '/settings/pipeline', await call('GET', `/crm/v8/settings/pipeline?layout_id=${layout}`))
    const fields = await call('GET', '/crm/v8/settings/fields?module=Deals')
    const stage =
      Array.isArray(fields.body['fields']) && fields.body['fields'].find((one) => at(one, 'api_name') === 'Stage')
    const values = `/crm/v8/settings/fields/${at(stage, 'id')}/pick_list_values?module=Deals`
    add('pick-list-values', 'GET', '/settings/fields/{fieldId}/pick_list_values', await call('GET', values))
    add(
      'related-lists',
      'GET',
      '/settings/related_lists',
      await call('GET', '/crm/v8/settings/related_lists?module=Deals'),
    )
    add('fields', 'GET', '/settings/fields', fields)
    add('org', 'GET', '/org', await call('GET', '/crm/v8/org'))
    const watch = {
      channel_id: '1000000068001',
      events: ['Leads.create', 'Leads.edit'],
      channel_expiry: '2026-03-03T00:00:00+00:00',
      token: 'secret',
      notify_url: 'http://127.0.0.1:9/',
      notify_on_related_action: false,
    }
    add('notifications', 'POST', '/actions/watch', await call('POST', '/crm/v8/actions/watch', { watch: [watch] }))
    add('notifications', 'GET', '/actions/watch', await call('GET', '/crm/v8/actions/watch'))
    add(
      'notifications',
      'DELETE',
      '/actions/watch',
      await call('DELETE', '/crm/v8/actions/watch?channel_ids=1000000068001'),
    )
    add('record', 'DELETE', '/{module}/{recordID}', await call('DELETE', `/crm/v8/Deals/${deal}`))
    add('record', 'GET', '/{module}/deleted', await call('GET', '/crm/v8/Deals/deleted?type=all'))

    const wrong = cases.flatMap(([file, method, path, { status, body }]) =>
      checkAnswer(file, method, path, status, body).map((what) => `${method} ${path} ${status}: ${what}`),
    )
    expect(wrong).toEqual([])
  })
})
