interface PricedCall {
  method: string
  path: string
  body?: object | undefined
}

/** The credits that the portal's calls cost, according to Zoho's price list (API limits v8). */
export function priceOf({ method, path, body }: PricedCall): number {
  if (path === 'coql') return priceOfQuery(body)
  if (method === 'GET') return path.endsWith('/deleted') ? 2 : 1
  return Math.max(1, Math.ceil(itemsOf(body) / 10))
}

function priceOfQuery(body: object | undefined): number {
  const query = body && 'select_query' in body ? String(body.select_query) : ''
  const rowsMax = Number(/ limit \d+, (\d+)$/.exec(query)?.[1] ?? 200)
  return rowsMax <= 200 ? 1 : rowsMax <= 1_000 ? 2 : 3
}

function itemsOf(body: object | undefined): number {
  return body && 'data' in body && Array.isArray(body.data) ? body.data.length : 1
}
