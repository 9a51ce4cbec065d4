import { type KeyRight, rightsText } from '@portal/contract/key-rights.ts'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/** Refuses an API key that lacks the right for the route (D84). Sessions have roles instead. */
export function requireRight(caller: SessionCaller | KeyCaller | null, right: KeyRight | 'any' | undefined): void {
  if (!caller || !('rights' in caller) || right === undefined || right === 'any') return
  if (caller.rights.includes(right)) return
  const text = `This API key ${rightsText(caller.rights)} only. An owner can make one that ${rightsText([right])}.`
  throw new Forbidden('NOT_ALLOWED', text)
}
