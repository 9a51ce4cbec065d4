import {
  findEndpointsInTroubleOfAllPartners,
  tryEndpointAgain,
} from '../features/webhooks/endpoints-in-trouble.queries.ts'
import { type Command, CommandFailed, minute, noPositional, onlyPositional, table } from './command.ts'
import { getPartnerByName } from './find-named.ts'

const ENDPOINTS_MAX = 500

export const listWebhooksInTrouble: Command = {
  name: 'webhooks',
  parameters: '',
  summary: 'Lists the webhook URLs whose deliveries fail, and those that are disabled, with the last problem.',
  async run(given, workplace) {
    noPositional(listWebhooksInTrouble, given)
    const { db } = await workplace.database()
    const rows = (await findEndpointsInTroubleOfAllPartners(db, ENDPOINTS_MAX)).map((one) => [
      one.partner_id,
      one.business_name,
      new URL(one.url).host,
      one.disabled_at ? `disabled ${minute(one.disabled_at)}` : `failing since ${minute(one.failing_since ?? '')}`,
      String(one.waiting),
      one.problem ?? '',
    ])
    workplace.say(table([['PARTNER', 'BUSINESS', 'HOST', 'STATE (UTC)', 'WAITING', 'LAST PROBLEM'], ...rows]))
  },
}

export const retryWebhook: Command = {
  name: 'webhooks retry',
  parameters: '<email or id>',
  summary: "Enables a partner's webhook URL if it was disabled, and sends the waiting deliveries now.",
  async run(given, workplace) {
    const emailOrId = onlyPositional(retryWebhook, given)
    const { db, clock } = (await workplace.parts()).deps
    const partner = await getPartnerByName(db, emailOrId)
    const at = clock.now().toISOString()
    const waiting = await db.transaction().execute((tx) => tryEndpointAgain(tx, partner.id, at))
    if (waiting === undefined) throw new CommandFailed('This partner has no webhook URL')
    workplace.say(`Enabled; deliveries that the portal sends now: ${waiting}`)
  },
}
