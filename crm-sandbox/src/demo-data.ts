import { countRecords } from './records-table.ts'
import type { Sandbox } from './sandbox-context.ts'

export function isEmpty(sandbox: Sandbox): boolean {
  return countRecords(sandbox.store, '', []) === 0
}

export function fillDemoData(_sandbox: Sandbox) {}
