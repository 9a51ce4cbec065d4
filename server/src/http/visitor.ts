import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { browserOf } from './browser-of.ts'

/** Where a call comes from. It does not say who calls. */
export interface Visitor {
  /** The IP address, or for IPv6 the network, because a provider gives each customer a whole network. */
  address: string
  /** The IP address itself. */
  ip: string
  /** The names of the browser and the system, as far as they are known. */
  browser: string | null
  /** The mark that an earlier `keepMark` stored in this browser. */
  mark: string | undefined
  /** Stores the mark in the browser for half a year, so that the browser sends it with each sign-in. */
  keepMark(mark: string): void
}

const COOKIE = 'portal_browser'
const HALF_A_YEAR_SECONDS = 180 * 86_400

export function visitorOf(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): Visitor {
  return {
    ip: request.ip,
    // Computed only on demand, because few calls need the network.
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
