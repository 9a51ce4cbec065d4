import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { openApi } from './open-api.ts'

/** A public route. It answers with the document alone, without the usual envelope, as OpenAPI tools expect. */
export function openApiRoutes(app: FastifyInstance, deps: Deps): void {
  let document: object | undefined
  app.get('/api/openapi.json', async () => {
    document ??= openApi(deps.publicUrl, deps.config.brand)
    return document
  })
}
