import { signOut as signOutRoute } from '@portal/contract/accounts.ts'
import { call } from '../api/call.ts'
import { dropToken } from '../api/token.ts'

/** Ends the session in this browser at once, and on the server if the server can be reached. */
export async function signOut() {
  const ending = call(signOutRoute).catch(() => undefined)
  dropToken()
  await ending
}
