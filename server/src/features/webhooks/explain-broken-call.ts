const BROKEN_OFF = 'The connection was lost before the answer was complete'
const NOT_SECURE = 'A secure connection could not be established'
const UNREACHABLE = 'The host cannot be reached'

/** The explanation for an error code of Node, libuv or OpenSSL. */
const WORDS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: BROKEN_OFF,
  EPIPE: BROKEN_OFF,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  EPROTO: NOT_SECURE,
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too large',
}

const CERTIFICATE_FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain contains a self-signed certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known; an intermediate certificate may be missing',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
}

/**
 * Returns a text that explains to the partner why a call failed. Node's own messages are not shown, because they name
 * addresses and advise developers.
 */
export function explainBrokenCall(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const fault = CERTIFICATE_FAULTS[code]
  if (fault !== undefined) return `The certificate is not valid: ${fault}`
  if (code.startsWith('HPE_')) return WORDS[code] ?? 'The answer is not HTTP'
  if (code.startsWith('ERR_SSL_')) return NOT_SECURE
  return WORDS[code] ?? (code ? `The call failed (${code})` : BROKEN_OFF)
}
