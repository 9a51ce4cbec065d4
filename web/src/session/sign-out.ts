import { signOut as signOutRoute } from '@portal/contract/accounts.ts'
import { call } from '../api/call.ts'
import { dropToken } from '../api/token.ts'

/** Ends the session on the server if it can be reached, and here in any case. */
export async function signOut() {
  const ending = call(signOutRoute).catch(() => undefined)
  dropToken()
  await ending
}
