import type { Route } from '@portal/contract/route.ts'
import { addressOf } from './call.ts'
import { defaultMessage } from './default-messages.ts'
import { Failure } from './failure.ts'
import { readToken } from './token.ts'

type FileRoute = Pick<Route, 'method' | 'path' | 'auth'>
type FileRequest = Parameters<typeof addressOf>[1]

/** Fetches a file of a `file` route and saves it under a name. Throws a `Failure` as `fetchFile` does. */
export async function download(route: FileRoute, request: FileRequest, name: string): Promise<void> {
  saveFile(await fetchFile(route, request), name)
}

/** Fetches a file of a `file` route. Throws a `Failure` if the file breaks off or the server refuses. */
export async function fetchFile(route: FileRoute, request: FileRequest): Promise<Blob> {
  const response = await ask(addressOf(route, request))
  if (!response.ok) {
    const { error, code = '' } = await response.json().catch(() => ({}))
    throw new Failure(response.status, error || defaultMessage(route), { code })
  }
  return wholeFile(response)
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

/** Saves a file as if the person had downloaded it. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
