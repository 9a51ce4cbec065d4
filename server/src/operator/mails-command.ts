import { findMailsInTroubleOfAllPartners } from '../features/mails/mails.queries.ts'
import { type Command, noPositional, table } from './command.ts'

const MAILS_MAX = 500

export const listMailsInTrouble: Command = {
  name: 'mails',
  parameters: '',
  summary: `Lists the newest ${MAILS_MAX} mails about leads and deals that did not get through: tried again, or given up after three days.`,
  async run(given, workplace) {
    noPositional(listMailsInTrouble, given)
    const { db } = await workplace.database()
    const rows = (await findMailsInTroubleOfAllPartners(db, MAILS_MAX)).map((mail) => [
      minute(mail.created_at),
      mail.business_name,
      mail.email,
      mail.given_up_at ? `given up ${minute(mail.given_up_at)}` : 'tried again',
      mail.problem ?? '',
    ])
    workplace.say(table([['SINCE (UTC)', 'BUSINESS', 'TO', 'STATE', 'PROBLEM'], ...rows]))
    return 0
  },
}

function minute(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ')
}
