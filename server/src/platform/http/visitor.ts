import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { browserOf } from './browser-of.ts'

/** Where a call comes from. It does not say who calls. */
export interface Visitor {
  /** The IP address, or for IPv6 the network, because a provider gives each customer a whole network. */
  address: string
  /** The address, and for IPv6 also the wider networks that hold it: /64, /56 and /48. */
  networks: string[]
  /** The IP address itself. */
  ip: string
  /** The names of the browser and the system, as far as they are known. */
  browser: string | null
  /** The marks that this browser sends, one for each account. Another website may have planted them. */
  marks: string[]
  /** Marks from before the cookie had its present name. */
  earlierMarks: string[]
  /** Stores the marks in the browser for half a year, so that the browser sends them with each sign-in. */
  keepMarks(marks: string[]): void
}

const COOKIE = 'portal_browser'
/** Only a secure page can set a cookie with this prefix. */
const SECURE_COOKIE = `__Secure-${COOKIE}`
const HALF_A_YEAR_SECONDS = 180 * 86_400
/** More accounts than people use in one browser. */
const MARKS_MAX = 5

/** A class and no literal with getters, which would keep the request in memory (docs/decisions/memory.md). */
export class RequestVisitor implements Visitor {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #isSecure: boolean

  constructor(request: FastifyRequest, reply: FastifyReply, isSecure: boolean) {
    this.#request = request
    this.#reply = reply
    this.#isSecure = isSecure
  }

  get ip(): string {
    return this.#request.ip
  }

  get address(): string {
    return networksOf(this.ip)[0]
  }

  get networks(): string[] {
    return networksOf(this.ip)
  }

  get browser(): string | null {
    return browserOf(this.#request.headers['user-agent'])
  }

  get marks(): string[] {
    return marksIn(this.#request.cookies[this.#isSecure ? SECURE_COOKIE : COOKIE])
  }

  get earlierMarks(): string[] {
    return this.#isSecure ? marksIn(this.#request.cookies[COOKIE]) : []
  }

  keepMarks(marks: string[]): void {
    this.#reply.setCookie(this.#isSecure ? SECURE_COOKIE : COOKIE, marks.slice(0, MARKS_MAX).join('.'), {
      path: '/api/auth',
      httpOnly: true,
      sameSite: 'strict',
      secure: this.#isSecure,
      maxAge: HALF_A_YEAR_SECONDS,
    })
  }
}

function marksIn(cookie = ''): string[] {
  return cookie.split('.', MARKS_MAX).filter((mark) => /^[\w-]{43}$/.test(mark))
}

/** The narrowest network first. */
export function networksOf(ip: string): [string, ...string[]] {
  if (!ipaddr.isValid(ip)) return [ip]
  const address = ipaddr.process(ip)
  if (!(address instanceof ipaddr.IPv6)) return [address.toString()]
  const [a = 0, b = 0, c = 0, d = 0] = address.parts
  const network = (last: number, bits: number) =>
    `${[a, b, c, last].map((part) => part.toString(16)).join(':')}::/${bits}`
  return [network(d, 64), network(d & 0xff00, 56), network(0, 48)]
}
