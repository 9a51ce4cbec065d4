import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import * as z from 'zod/mini'
import { hostUrls } from './db/host-urls.ts'

export interface SecretsKey {
  /** The operator's name for the key. */
  id: string
  bytes: Buffer
}

// Each message completes the sentence '<VARIABLE> is <value>, but must …'.
export const Port = wholeNumber(0, 65_535)

export function wholeNumber(min: number, max: number) {
  const must = `be a whole number from ${min} to ${max}`
  return z
    .pipe(z.string().check(z.regex(/^\d{1,9}$/, must)), z.transform(Number))
    .check(z.refine((number) => number >= min && number <= max, must))
}

export const TrueOrFalse = z.pipe(
  z.enum(['true', 'false'], 'be true or false'),
  z.transform((word) => word === 'true'),
)

export const Proxies = z
  .pipe(
    z.string(),
    z.transform((list) => list.split(',').map((proxy) => proxy.trim())),
  )
  .check(
    z.refine(
      (list) => list.every(isProxy),
      'be loopback, or addresses and networks such as 10.0.0.7,192.168.0.0/16, separated by commas',
    ),
  )

export function existingFile(kind: string) {
  return z
    .pipe(
      z.string(),
      z.transform((file) => path.resolve(file)),
    )
    .check(
      z.refine(
        (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true,
        `be the path of a ${kind} that exists`,
      ),
    )
}

export const OnOrOff = z.pipe(
  z.enum(['on', 'off'], 'be on or off'),
  z.transform((word) => word === 'on'),
)

export const DatabaseUrl = z
  .string()
  .check(
    z.refine(
      (text) => hostUrls(text).every((url) => /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '')),
      'be an address such as postgres://user:password@host/portal, or with several hosts: @one:5432,two:5432/portal',
    ),
  )

/** One key of 32 bytes in base64, or several, each with a name before it: `new:base64,old:base64`. */
export const SecretsKeys = z
  .pipe(
    z.string(),
    z.transform((list) => list.split(',').map(readSecretsKey)),
  )
  .check(
    z.refine(
      (keys) => keys.every(({ bytes }) => bytes.length === 32),
      'be 32 bytes in base64, or several keys such as new:base64,old:base64 (`openssl rand -base64 32` makes one)',
    ),
    z.refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'give each key a name of its own'),
  )

function readSecretsKey(text: string): SecretsKey {
  const [, id = 'key', base64 = ''] = /^(?:([\w.-]+):)?([A-Za-z\d+/]{43}=)$/.exec(text.trim()) ?? []
  return { id, bytes: Buffer.from(base64, 'base64') }
}

export const Milliseconds = z.pipe(
  z.string().check(z.regex(/^\d{1,5}$/, 'be a number of milliseconds from 0 to 99999')),
  z.transform(Number),
)

export const HostName = z
  .string()
  .check(z.regex(/^[\w.:-]+$/, 'be a host name or an address such as 127.0.0.1 or 0.0.0.0'))

/** The name also stands in the sender of mails, so it has no character that a sender cannot have. */
export const BrandName = z
  .string()
  .check(
    z.regex(
      /^[^\p{C}\p{Zl}\p{Zp}<>"\\@]{1,60}$/u,
      'have 1 to 60 characters, and neither < > " \\ @ nor invisible ones',
    ),
  )

export const Colour = z.pipe(
  z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'be a colour such as #1d4f91')),
  z.transform((colour) => colour.toLowerCase()),
)

/** What is made from a setting. An error of `make` completes the sentence like the other messages. */
export function made<Made>(make: (given: string) => Made, given: z.ZodMiniType<string, string>) {
  return z.pipe(
    given,
    z.transform((value, { issues }): Made => {
      try {
        return make(value)
      } catch (error) {
        issues.push({ code: 'custom', message: error instanceof Error ? error.message : 'be valid', input: value })
        return z.NEVER
      }
    }),
  )
}

/** A network of all addresses (`0.0.0.0/0`) would let every caller forge its address. */
function isProxy(text: string): boolean {
  if (text === 'loopback') return true
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

export function urlOf(protocols: string[], must: string) {
  return z.string().check(z.refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), must))
}

export function webOrigin(example: string) {
  return z
    .pipe(
      z.string(),
      z.transform((text) => text.replace(/\/+$/, '')),
    )
    .check(z.refine(isWebOrigin, `be an http or https address without a path, such as ${example}`))
}

function isWebOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase()
}

export function isLoopback(url: string | undefined): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(url ?? '')?.hostname ?? '')
}
