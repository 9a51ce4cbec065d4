import type { Behaviour } from './faults/behaviour.ts'
import type { Field, Module } from './settings/modules.ts'
import type { Store } from './store.ts'

export type CustomFields = {
  /** The module with the fields that the organisation has now. */
  of(module: Module): Module
  /** Restores the fields that the organisation began with. */
  clear(): void
  change(module: Module, edit: (fields: readonly Field[]) => Field[]): void
}

/** What all parts of the sandbox share. */
export type Sandbox = {
  store: Store
  /** Milliseconds since 1970, including the clock shift. */
  now(): number
  behaviour(): Readonly<Behaviour>
  fields: CustomFields
  /** The sandbox's own address, which a token answer names as api_domain. */
  baseUrl(): string
  /** Call this when there are notifications to deliver. */
  notify(): void
}
