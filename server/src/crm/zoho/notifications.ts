import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/mini'
import type { ZohoSettings } from '../../platform/config.ts'
import { Invalid, Unauthorized } from '../../platform/errors.ts'
import type { CrmNotification, CrmWatch } from '../../records/crm-records.ts'
import { refusal } from './answers.ts'
import type { ZohoApi } from './api.ts'
import type { ZohoAnswer } from './client.ts'
import { CrmRefused } from './errors.ts'
import { type FieldMap, moduleName } from './field-map.ts'
import { zohoTime } from './wire.ts'
import { ZohoId, ZohoInstant } from './wire-values.ts'

export interface Channels {
  /**
   * Asks the CRM to post changes to `notifyUrl` until the given time. The CRM may stop earlier. A repeated call renews
   * the request.
   */
  watch(notifyUrl: string, until: Date, signal?: AbortSignal): Promise<CrmWatch>
  /**
   * Throws `Unauthorized` if the post does not come from the CRM, and `Invalid` if it names no records. Returns null if
   * the notification is about a module that the portal does not watch.
   */
  readNotification(body: unknown): CrmNotification | null
}

type Watched = CrmNotification['module']

/**
 * Zoho's channels. A channel says what Zoho posts, to which address and until when. Its id is computed from
 * the address and the module, and its token from the client secret. So every process and every start of the portal uses
 * the same channels, and nothing is stored.
 */
export function openChannels(options: {
  api: ZohoApi
  settings: Pick<ZohoSettings, 'clientSecret'>
  fieldMap: FieldMap
}): Channels {
  const { api, settings, fieldMap } = options
  // Zoho keeps only fifty characters of a token. This token has 43.
  const token = createHmac('sha256', settings.clientSecret).update('crm notifications').digest('base64url')
  const names: [Watched, string][] = [
    ['Leads', moduleName(fieldMap, 'Leads')],
    ['Deals', moduleName(fieldMap, 'Deals')],
    ['Notes', 'Notes'],
    ['Tasks', 'Tasks'],
    ['Partners', fieldMap.partners.module],
  ]

  async function watch(notifyUrl: string, until: Date, signal?: AbortSignal): Promise<CrmWatch> {
    // One channel per module, so that if Zoho refuses to watch one module, the others are still watched.
    const wanted = names.map(([module, name]) => ({
      module,
      item: {
        channel_id: channelId(notifyUrl, module),
        events: [`${name}.all`],
        channel_expiry: zohoTime(until.toISOString()),
        token,
        notify_url: notifyUrl,
        return_affected_field_values: false,
        notify_on_related_action: false,
      },
    }))
    const ends = new Map<Watched, string>()
    // Tries to renew first, because that is the usual case. Zoho refuses to renew a missing channel, so the second call
    // makes it.
    for (const method of ['PUT', 'POST'] as const) {
      const missing = wanted.filter(({ module }) => !ends.has(module))
      if (missing.length === 0) break
      const body = { watch: missing.map(({ item }) => item) }
      const answer = await api.write({ method, path: 'actions/watch', body, isRepeatable: true, signal })
      for (const [index, { module }] of missing.entries()) {
        const end = readEnd(answer, index)
        if (end !== null) ends.set(module, end)
      }
      if (method === 'POST' && ends.size === 0) throw refusalOf(answer)
    }
    const [first = ''] = [...ends.values()].sort()
    return { until: first, unwatched: names.flatMap(([module]) => (ends.has(module) ? [] : [module])) }
  }

  function readNotification(body: unknown): CrmNotification | null {
    const given = Signed.safeParse(body).data?.token
    // All hashes have the same length, which a comparison in constant time needs.
    if (given === undefined || !timingSafeEqual(sha256(given), sha256(token))) {
      throw new Unauthorized('UNAUTHORIZED', 'The token does not belong to one of the portal’s channels.')
    }
    const notification = Notification.safeParse(body).data
    if (!notification) throw new Invalid('MALFORMED_REQUEST', 'The notification names no records.')
    const [module] = names.find(([, name]) => name === notification.module) ?? []
    return module ? { module, zoho_ids: [...new Set(notification.ids)] } : null
  }

  return { watch, readNotification }
}

/** The id that the portal chooses for a channel. Zoho wants a number of up to nineteen digits. */
function channelId(notifyUrl: string, module: Watched): string {
  const digest = createHash('sha256').update(`${notifyUrl} ${module}`).digest()
  return String(digest.readBigUInt64BE() % 10n ** 15n).padStart(16, '1')
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const Signed = z.object({ token: z.string() })
const Notification = z.object({ module: z.string(), ids: z.array(ZohoId).check(z.minLength(1)) })

const Results = z.object({ watch: z.array(z.unknown()) })
const Subscribed = z.object({
  status: z.literal('success'),
  details: z.object({ events: z.tuple([z.object({ channel_expiry: ZohoInstant })], z.unknown()) }),
})
const NotSubscribed = z.object({ code: z.string(), message: z.catch(z.string(), '') })

/**
 * The time until which Zoho will notify the portal. It is an hour away if Zoho did not accept the requested time. Null
 * if Zoho refused the channel.
 */
function readEnd(answer: ZohoAnswer, index: number): string | null {
  const result = Results.safeParse(answer.body).data?.watch[index]
  return Subscribed.safeParse(result).data?.details.events[0].channel_expiry ?? null
}

function refusalOf(answer: ZohoAnswer): Error {
  const first = NotSubscribed.safeParse(Results.safeParse(answer.body).data?.watch[0]).data
  return first
    ? new CrmRefused(first.code, `The CRM refused to send notifications: ${first.code} ${first.message}`)
    : refusal(answer)
}
