import { changeNotifications, readNotifications, unsubscribe } from '@portal/contract/notifications.ts'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { changeSettingsOf, readSettingsOf } from './notifications.ts'
import { unsubscribePerson } from './unsubscribe.ts'

export function mailRoutes(mount: Mount, app: FastifyInstance, deps: Deps): void {
  mount(readNotifications, ({ partner }) => readSettingsOf(deps, partner))
  mount(changeNotifications, ({ partner, body }) => changeSettingsOf(deps, partner, body))
  mount(unsubscribe, ({ body }) => unsubscribePerson(deps.db, body.token))
  // Mail programs unsubscribe with a POST to the link in a mail's header (RFC 8058). The link contains the token, so
  // the form that they send is ignored. A GET of the link shows the web app's page.
  app.post('/unsubscribe', { config: { ignoresBody: true } }, async ({ query }) => {
    const { token } = OneClick.parse(query)
    await unsubscribePerson(deps.db, token)
    return { success: true }
  })
}

const OneClick = z.object({ token: z.catch(z.string(), '') })
