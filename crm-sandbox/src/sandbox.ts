import Fastify, { type FastifyInstance } from 'fastify'
import { fillDemoData, isEmpty } from './demo/demo-data.ts'
import { fillRoutes } from './demo/fill.ts'
import { behaviourRoutes, behaviourSwitches } from './faults/behaviour.ts'
import { type Faults, faultRoutes, openFaults, strikeAfter, strikeBefore, strikeCall } from './faults/faults.ts'
import { startDelivery } from './notifications/delivery.ts'
import { watchRoutes } from './notifications/watches.ts'
import { attachmentRoutes } from './records/attachments.ts'
import { convertRoutes } from './records/convert.ts'
import { coqlRoutes } from './records/coql.ts'
import { countRoutes } from './records/count.ts'
import { deletedRoutes } from './records/deleted.ts'
import { hideRecords } from './records/hidden.ts'
import { mergeRoutes } from './records/merge.ts'
import { noteRoutes } from './records/notes.ts'
import { recordRoutes } from './records/records.ts'
import { searchRoutes } from './records/search.ts'
import { stageHistoryRoutes } from './records/stage-history.ts'
import { taskRoutes } from './records/tasks.ts'
import { timelineRoutes } from './records/timeline.ts'
import { workflowRoutes } from './records/workflow.ts'
import { resetRoutes } from './reset.ts'
import type { Sandbox } from './sandbox-context.ts'
import { customFieldRoutes, openCustomFields } from './settings/custom-fields.ts'
import { metadataRoutes } from './settings/metadata.ts'
import { findModule } from './settings/modules.ts'
import { staffPage } from './staff-page/staff-page.ts'
import { openStore } from './store.ts'
import { type Limits, openLimits } from './wire/limits.ts'
import { authenticate, oauthRoutes } from './wire/oauth.ts'
import { ApiError, failure, parseQuery } from './wire/wire.ts'

export type SandboxOptions = {
  /** 0 picks a free port. */
  port: number
  /** The state folder. It is created if it does not exist. */
  dir: string
  /** Fills an empty store with demo data. */
  seed: boolean
  clock?: () => number
}

export type RunningSandbox = { url: string; close(): Promise<void> }

/** Starts the CRM sandbox on loopback. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const store = openStore(options.dir)
  const switches = behaviourSwitches(store)
  const clock = options.clock ?? Date.now
  let url = `http://127.0.0.1:${options.port}`
  let wake = () => {}
  const sandbox: Sandbox = {
    store,
    now: () => clock() + switches.current().clockShiftSeconds * 1_000,
    behaviour: switches.current,
    fields: openCustomFields(store, switches.current),
    baseUrl: () => url,
    notify: () => wake(),
  }
  const faults = openFaults(sandbox)
  const { limits, routes: limitRoutes } = openLimits(sandbox)
  const delivery = startDelivery(sandbox, faults)
  wake = delivery.wake
  if (options.seed && isEmpty(sandbox)) fillDemoData(sandbox)

  const app = Fastify({
    bodyLimit: 10 * 1024 * 1024,
    forceCloseConnections: true,
    routerOptions: { querystringParser: parseQuery, ignoreTrailingSlash: true },
  })
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).send(error.failure)
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    return reply.code(500).send(failure('INTERNAL_ERROR', {}, 'Internal Server Error'))
  })

  await app.register((part) => wire(part, sandbox, faults, limits))
  await app.register(async (part) => {
    keepOtherSitesOut(part)
    behaviourRoutes(part, switches)
    faultRoutes(part, sandbox, faults)
    fillRoutes(part, sandbox)
    workflowRoutes(part, sandbox)
    limitRoutes(part)
    resetRoutes(part, sandbox, {
      clear: [switches.clear, sandbox.fields.clear, () => faults.replace({}), limits.clear],
    })
  })
  await app.register(async (part) => {
    keepOtherSitesOut(part)
    await staffPage(part, sandbox)
  })

  url = await app.listen({ host: '127.0.0.1', port: options.port })
  return {
    url,
    async close() {
      faults.stop()
      await app.close()
      await delivery.stop()
      store.close()
    },
  }
}

/** Zoho's own addresses: the token endpoint and the API. */
async function wire(part: FastifyInstance, sandbox: Sandbox, faults: Faults, limits: Limits) {
  part.addHook('onRequest', async (request, reply) => {
    if (await strikeBefore(faults, request, reply)) return reply
    return undefined
  })
  await part.register(async (oauth) => {
    oauth.addHook('preHandler', (request) => {
      limits.countTokenCall()
      return faults.slowDown(request)
    })
    await oauthRoutes(oauth, sandbox, faults)
  })
  await part.register(async (api) => {
    // Zoho reads JSON whatever the content type is. Zoho's own SDK sends no content type.
    api.removeAllContentTypeParsers()
    api.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
      const text = String(body)
      try {
        done(null, text.trim() === '' ? undefined : JSON.parse(text))
      } catch {
        done(new ApiError(400, 'INVALID_DATA', {}, 'the request body is not JSON'))
      }
    })
    api.addHook('preHandler', async (request, reply) => {
      const calls = limits.begin(request, reply)
      // A caller who hangs up gets no response, but the call has ended nevertheless.
      reply.raw.once('close', () => limits.end(request, 499, Math.round(reply.elapsedTime)))
      await faults.slowDown(request)
      if (await strikeCall(faults, calls, request, reply)) return reply
      authenticate(sandbox, request)
      return undefined
    })
    api.addHook('onSend', async (request, reply, payload) => {
      reply.header('date', new Date(sandbox.now()).toUTCString())
      if (strikeAfter(faults, request, reply.statusCode)) request.raw.socket.destroy()
      return payload
    })
    api.addHook('onResponse', async (request, reply) => {
      limits.end(request, reply.statusCode, Math.round(reply.elapsedTime))
    })

    coqlRoutes(api, sandbox)
    metadataRoutes(api, sandbox)
    customFieldRoutes(api, sandbox)
    watchRoutes(api, sandbox)
    searchRoutes(api, sandbox)
    countRoutes(api, sandbox)
    deletedRoutes(api, sandbox)
    convertRoutes(api, sandbox)
    mergeRoutes(api, sandbox)
    noteRoutes(api, sandbox)
    taskRoutes(api, sandbox)
    await attachmentRoutes(api, sandbox)
    stageHistoryRoutes(api, sandbox)
    timelineRoutes(api, sandbox)
    hideRecords(api, sandbox)
    recordRoutes(api, sandbox)
    api.all('/crm/*', (request) => {
      const [version, module = ''] = request.url.replace(/\?.*/, '').split('/').slice(2)
      if (version === 'v8' && findModule(module)) {
        const status = Number(sandbox.behaviour().methodNotAllowedStatus)
        throw new ApiError(status, 'INVALID_REQUEST_METHOD', {}, 'The http request method type is not a valid one')
      }
      throw new ApiError(404, 'INVALID_URL_PATTERN', {}, 'Please check if the URL trying to access is a correct one')
    })
  })
}

/**
 * Refuses requests from other origins, writes that another web site starts, and every host name but this machine's.
 * Links from other sites work. Everything except the API works without a sign-in, so other sites must not reach it
 * through the user's browser.
 */
function keepOtherSitesOut(part: FastifyInstance) {
  part.addHook('onRequest', async (request, reply) => {
    const host = request.headers.host ?? ''
    const origin = request.headers.origin
    const isLocal = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)
    const isOwn = origin === undefined || origin === `http://${host}`
    const fetchSite = request.headers['sec-fetch-site'] ?? 'same-origin'
    const isForeignWrite = request.method !== 'GET' && fetchSite !== 'same-origin' && fetchSite !== 'none'
    if (!isLocal || !isOwn || isForeignWrite) {
      const error = 'the sandbox answers requests from this computer only, and refuses requests from other web sites'
      return reply.code(403).send({ error })
    }
    return undefined
  })
}
