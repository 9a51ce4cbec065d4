import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { openApi } from './open-api.ts'

/** Public. It answers the document itself without the usual envelope, because tools expect that at such an address. */
export function openApiRoutes(app: FastifyInstance, deps: Deps): void {
  let document: object | undefined
  app.get('/api/openapi.json', { helmet: false }, async () => {
    document ??= openApi(deps.publicUrl)
    return document
  })
}
