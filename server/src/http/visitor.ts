import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { browserOf } from './browser-of.ts'

/** Where a call comes from. It does not say who calls. */
export interface Visitor {
  /** Its IP address. For IPv6 it is the network, because one customer has all addresses of it. */
  address: string
  /** The IP address itself. */
  ip: string
  /** Browser and system in words, if they are known ones. */
  browser: string | null
  /** What `keepMark` gave this browser earlier. */
  mark: string | undefined
  /** Makes the browser send this with its next sign-ins, for half a year. */
  keepMark(mark: string): void
}

const COOKIE = 'portal_browser'
const HALF_A_YEAR_SECONDS = 180 * 86_400

export function visitorOf(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): Visitor {
  return {
    ip: request.ip,
    // Few calls ask for it, and reading it takes time.
    get address() {
      return networkOf(request.ip)
    },
    get browser() {
      return browserOf(request.headers['user-agent'])
    },
    mark: request.cookies[COOKIE]?.slice(0, 100),
    keepMark(mark) {
      reply.setCookie(COOKIE, mark, {
        path: '/api/auth',
        httpOnly: true,
        sameSite: 'strict',
        secure: isSecure,
        maxAge: HALF_A_YEAR_SECONDS,
      })
    },
  }
}

export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString()
}
