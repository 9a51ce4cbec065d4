import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type CrmSandboxProcess, startCrmSandboxProcess } from '../platform/local/crm-sandbox-process.ts'
import { openLender } from './lender.ts'

let running: Promise<CrmSandboxProcess> | undefined
let users = 0

/**
 * Lends this test worker's CRM sandbox. It is a real process that starts when a test first needs it and ends with the
 * worker. The sandbox is empty, without faults and with all switches at their defaults. If the same test already uses
 * the sandbox, it is not reset, because several portals of one test share one CRM.
 */
export async function borrowCrmSandbox(): Promise<{ url: string } & Disposable> {
  const log = { debug: () => undefined, warn: () => undefined }
  const dir = join(inject('testFolder'), `sandbox-${randomBytes(6).toString('hex')}`)
  running ??= startCrmSandboxProcess({ port: 0, dir, seed: false, log })
  const { url } = await running
  users += 1
  if (users === 1) await openLender(url).reset()
  return {
    url,
    [Symbol.dispose]() {
      users -= 1
    },
  }
}
