import type { Auth } from '@portal/contract/route.ts'
import type { FastifyRequest } from 'fastify'
import { Unauthorized } from '../errors.ts'

/** The partner whose call it is, and the session it comes with. */
export interface Caller {
  id: string
  email: string
  businessName: string
  /** SHA-256 of the session token. */
  sessionHash: Buffer
}

export type Authenticate = (request: FastifyRequest, auth: Auth) => Promise<Caller | undefined>

/** What the accounts feature knows and this folder does not: whose token it is, or undefined. */
export type FindCaller = (token: string) => Promise<Caller | undefined>

/** Checks the bearer token against what the route asks for. Every refusal is a 401 that says nothing more (D5a). */
export function createAuthenticate(findCaller: FindCaller): Authenticate {
  return async (request, auth) => {
    if (auth === 'none') return undefined
    const token = bearerToken(request)
    const caller = token === undefined ? undefined : await findCaller(token)
    if (!caller) throw new Unauthorized()
    return caller
  }
}

function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer ([\w.~+/-]{1,200}=*)$/i.exec(request.headers.authorization ?? '')
  return match?.[1]
}
