/** Splits `postgres://user@one:5432,two:5433/portal` into one address for each host. */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^([^/]*\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  return before === '' ? [url] : hosts.split(',').map((host) => before + host + after)
}
