import { changeNotifications, readNotifications, unsubscribe } from '@portal/contract/notifications.ts'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import { changeSettingsOf, readSettingsOf } from './notifications.ts'
import { unsubscribePerson } from './unsubscribe.ts'

export function mailRoutes(mount: Mount, app: FastifyInstance, deps: Deps): void {
  mount(readNotifications, ({ partner }) => readSettingsOf(deps, partner))
  mount(changeNotifications, ({ partner, body }) => changeSettingsOf(deps, partner, body))
  mount(unsubscribe, ({ body }) => unsubscribePerson(deps.db, body.token))
  // Mail programs follow the link in a mail's header: GET shows the page, and POST is the one click (RFC 8058). They
  // send a form, which holds no more than the address does.
  app.post('/unsubscribe', { config: { ignoresBody: true } }, async ({ query }) => {
    const { token } = OneClick.parse(query)
    await unsubscribePerson(deps.db, token)
    return { success: true }
  })
}

const OneClick = z.object({ token: z.catch(z.string(), '') })
