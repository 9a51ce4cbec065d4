import type { Behaviour } from './faults/behaviour.ts'
import type { CustomFields } from './settings/custom-fields.ts'
import type { Store } from './store.ts'

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
