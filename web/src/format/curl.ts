interface CurlRequest {
  url: string
  headers: readonly string[]
  body: string | null
}

/** A POST for the command line, one option per line. */
export function curlCommand({ url, headers, body }: CurlRequest): string {
  return [
    `curl -X POST ${shellQuoted(url)}`,
    ...headers.map((header) => `-H ${shellQuoted(header)}`),
    // With -d, a body that begins with @ would name a file to send.
    ...(body === null ? [] : [`--data-raw ${shellQuoted(body)}`]),
  ].join(' \\\n  ')
}

/** Text as one word of a POSIX shell: `it's` is `'it'\''s'`. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
