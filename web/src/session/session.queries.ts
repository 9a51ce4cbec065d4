import { type VerifiedSession, verifySession } from '@portal/contract/accounts.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Failure } from '../api/failure.ts'
import { storeRole } from '../api/role.ts'
import { dropToken, readToken, storePersonId } from '../api/token.ts'

/**
 * The partner and person of the session, as the server knows them. Only a 401 ends the session: a lost connection or a
 * failing server proves nothing about the token.
 */
export function sessionQuery() {
  return queryOptions({
    queryKey: ['session'],
    queryFn: ({ signal }): Promise<VerifiedSession> => verify(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
}

async function verify(signal: AbortSignal): Promise<VerifiedSession> {
  const token = readToken()
  if (token === null) throw new Failure(401, 'No token available', { code: 'UNAUTHORIZED' })
  try {
    const session = await call(verifySession, { body: { token }, signal })
    if (token === readToken()) {
      storeRole(session.role)
      storePersonId(session.personId)
    }
    return session
  } catch (error) {
    if (error instanceof Failure && error.status === 401) dropToken(token)
    throw error
  }
}
