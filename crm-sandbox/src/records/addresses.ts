import type { Sandbox } from '../sandbox-context.ts'
import { findModule, type Module } from '../settings/modules.ts'
import { ApiError } from '../wire/wire.ts'
import { type CrmRecord, findRecord } from './records-table.ts'

/** The module that an address names. */
export function requireModule(sandbox: Sandbox, name: string): Module {
  const module = findModule(name)
  if (module) return sandbox.fields.of(module)
  throw new ApiError(400, 'INVALID_MODULE', { resource_path_index: 0 }, 'the module name given seems to be invalid')
}

/** The record that an address names. */
export function requireRecord(sandbox: Sandbox, module: Module, id: string): CrmRecord {
  const record = isId(id) ? findRecord(sandbox.store, module.name, id) : undefined
  if (record) return record
  throw invalidId()
}

export function invalidId(): ApiError {
  return new ApiError(400, 'INVALID_DATA', { resource_path_index: 1 }, 'the id given seems to be invalid')
}

export function isId(value: string): boolean {
  return /^\d{15,20}$/.test(value)
}
