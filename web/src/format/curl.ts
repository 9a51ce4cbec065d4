interface CurlRequest {
  url: string
  headers: readonly string[]
  body: string | null
}

/** A curl command that sends a POST request, with one option per line. */
export function curlCommand({ url, headers, body }: CurlRequest): string {
  return [
    `curl -X POST ${shellQuoted(url)}`,
    ...headers.map((header) => `-H ${shellQuoted(header)}`),
    // With -d, a body that begins with @ would name a file to send.
    ...(body === null ? [] : [`--data-raw ${shellQuoted(body)}`]),
  ].join(' \\\n  ')
}

/** Quotes text as one word of a POSIX shell: `it's` becomes `'it'\''s'`. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
