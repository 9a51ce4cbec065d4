import { type VerifiedSession, verifySession } from '@portal/contract/accounts.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Failure } from '../api/failure.ts'
import { storeRole } from '../api/role.ts'
import { dropToken, readToken, storePersonId } from '../api/token.ts'
import { storeSeesPayments } from './sees-payments.ts'
import { storeUnverified } from './unverified-email.ts'

/**
 * The partner and person of the session, as the server knows them. Only a 401 ends the session: a lost connection or a
 * failing server proves nothing about the token.
 */
export function sessionQuery() {
  return queryOptions({
    queryKey: ['session'],
    // Does not use the query's signal. With it, closing one page would cancel the verification for the next page too.
    queryFn: (): Promise<VerifiedSession> => verify(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
}

async function verify(): Promise<VerifiedSession> {
  const token = readToken()
  if (token === null) throw new Failure(401, 'No token available', { code: 'UNAUTHORIZED' })
  try {
    const session = await call(verifySession, { body: { token } })
    if (token === readToken()) {
      storeRole(session.role)
      storeSeesPayments(session.seesPayments)
      storeUnverified(session.hasUnverifiedEmail)
      storePersonId(session.personId)
    }
    return session
  } catch (error) {
    if (error instanceof Failure && error.status === 401) dropToken(token)
    throw error
  }
}
