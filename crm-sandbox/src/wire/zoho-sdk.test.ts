import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestSandbox } from '../test-sandbox.ts'

const run = promisify(execFile)

test('Zoho’s own SDK signs in, writes, reads, converts, adds a note, attaches a file, edits a task and deletes', async () => {
  await using sandbox = await startTestSandbox()
  const folder = mkdtempSync(join(tmpdir(), 'zoho-sdk-'))
  const script = new URL('./zoho-sdk-journey.mjs', import.meta.url).pathname
  const { stdout } = await run(process.execPath, [decodeURIComponent(script), sandbox.url, folder])
  rmSync(folder, { recursive: true, force: true })
  const seen: unknown = JSON.parse(stdout)

  expect(seen).toMatchObject({
    partner: { status: 201, code: 'SUCCESS' },
    inserted: { status: 200, code: 'SUCCESS' },
    updated: { status: 200, code: 'SUCCESS' },
    refused: { status: 400, code: 'DUPLICATE_DATA' },
    read: {
      name: 'Nkemdilim Okafor',
      amount: 150_000.5,
      ownsProperty: true,
      partner: 'Quayside Brokers',
      createdTime: true,
      owner: 'Portal API',
    },
    listed: { count: 1, more: false, loid: 'LO-7H2K9QWZ' },
    note: { status: 201, code: 'SUCCESS' },
    noteRead: 'Bank statements uploaded.',
    attached: { status: 200, code: 'SUCCESS' },
    attachment: { name: 'statement.pdf', size: '18' },
    downloaded: { name: 'statement.pdf', content: '%PDF-1.4 statement' },
    detached: { status: 200, code: 'SUCCESS' },
    attachmentsLeft: 204,
    asked: { status: 201, code: 'SUCCESS' },
    begun: { status: 200, code: 'SUCCESS' },
    task: { subject: 'Partner: statements', status: 'In Progress' },
    withdrawn: { status: 200, code: 'SUCCESS' },
    coql: { count: 1 },
    converted: { status: 200 },
    convertedAgain: { status: 400, code: 'ID_ALREADY_CONVERTED' },
    deal: { loid: 'LO-7H2K9QWZ', amount: 150_000.5, stage: 'Information Received' },
    deleted: { status: 200, code: 'SUCCESS' },
    deletedList: 1,
    empty: 204,
  })
})
