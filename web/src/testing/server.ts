import { vi } from 'vitest'

interface Answer {
  status?: number
  body?: unknown
  headers?: Record<string, string>
}

interface SeenRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: Headers
  body: unknown
}

type Handler = (request: SeenRequest) => Answer | Promise<Answer>

/**
 * Replaces the server and records its requests. The handler named `METHOD /path` answers the calls to `/api/path`. The
 * questions for a demo account, a privacy notice and documents are recorded only if a handler answers them.
 */
export function serve(handlers: Record<string, Handler>) {
  const seen: SeenRequest[] = []
  const fetch = vi.fn(async (address: string, init: RequestInit) => {
    const url = new URL(address, 'http://portal.test')
    const request = {
      method: init.method ?? 'GET',
      path: url.pathname.replace(/^\/api/, ''),
      query: Object.fromEntries(url.searchParams),
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    }
    const handler = handlers[`${request.method} ${request.path}`]
    if (!handler && request.path === '/auth/demo') return new Response(JSON.stringify(data({ demo: null })))
    if (!handler && request.path === '/auth/privacy') return new Response(JSON.stringify(data({ url: null })))
    if (!handler && request.path.startsWith('/crm/documents/')) {
      return new Response(JSON.stringify(data({ documents: [], file_mb_max: 25 })))
    }
    seen.push(request)
    const {
      status = 200,
      body,
      headers = {},
    } = handler ? await handler(request) : { status: 404, body: failure('Not found', 'NOT_FOUND') }
    return new Response(JSON.stringify(body), { status, headers })
  })
  vi.stubGlobal('fetch', fetch)
  return { seen }
}

export function data(value: unknown) {
  return { success: true, data: value }
}

export function failure(error: string, code: string, fields?: Record<string, string>) {
  return { success: false, error, code, ...(fields && { fields }) }
}
