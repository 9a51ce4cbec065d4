import type { Route } from '@portal/contract/route.ts'
import { addressOf } from './call.ts'
import { defaultMessage } from './default-messages.ts'
import { Failure } from './failure.ts'
import { readToken } from './token.ts'

/**
 * Fetches a file of a `file` route and saves it under a name. A file that breaks off is not saved: then, and if the server
 * refuses, this throws a `Failure`.
 */
export async function download(
  route: Pick<Route, 'method' | 'path' | 'auth'>,
  query: Record<string, unknown>,
  name: string,
): Promise<void> {
  const response = await ask(addressOf(route, { query }))
  if (!response.ok) {
    const { error, code = '' } = await response.json().catch(() => ({}))
    throw new Failure(response.status, error || defaultMessage(route), { code })
  }
  save(await wholeFile(response), name)
}

async function ask(address: string): Promise<Response> {
  try {
    return await fetch(address, { headers: { authorization: `Bearer ${readToken() ?? ''}` } })
  } catch (cause) {
    throw new Failure(0, 'Network error', { code: 'NETWORK', cause })
  }
}

async function wholeFile(response: Response): Promise<Blob> {
  try {
    return await response.blob()
  } catch (cause) {
    throw new Failure(0, 'The download broke off, so nothing was saved. Please try again.', { code: 'NETWORK', cause })
  }
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
