import type { Organisation } from '../organisation.ts'
import type { ZohoParts } from '../parts.ts'

export type Checked = Pick<ZohoParts, 'api' | 'metadata' | 'fieldMap'> & { organisation: Organisation }

export interface Trial {
  name: string
  /** The scope that the grant must have for the trial. */
  scope: string
  /** Returns a text that says what works, or throws `Wrong`. */
  run(checked: Checked, signal?: AbortSignal): Promise<string>
}

/** The error of a failed trial. Its message says what is wrong and what to do. */
export class Wrong extends Error {}
/** An error that explains every later one. */
export class WrongForAll extends Wrong {}

export function isOfScope(error: unknown): boolean {
  return error instanceof Error && error.message.includes('OAUTH_SCOPE_MISMATCH')
}
