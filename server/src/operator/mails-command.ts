import { findMailsInTroubleOfAllPartners } from '../features/mails/mails.queries.ts'
import { sendMailsAgain } from '../features/mails/send-again.ts'
import { type Command, CommandFailed, minute, noPositional, onlyPositional, table } from './command.ts'

const MAILS_MAX = 500

export const listMailsInTrouble: Command = {
  name: 'mails',
  parameters: '',
  summary: `Lists the newest ${MAILS_MAX} mails that could not be sent, about leads, deals and webhooks: those that will be tried again, and those that were given up.`,
  async run(given, workplace) {
    noPositional(listMailsInTrouble, given)
    const { db } = await workplace.database()
    const rows = (await findMailsInTroubleOfAllPartners(db, MAILS_MAX)).map((mail) => [
      mail.id,
      minute(mail.created_at),
      mail.business_name,
      mail.email,
      mail.given_up_at ? `given up ${minute(mail.given_up_at)}` : 'will be tried again',
      mail.problem ?? '',
    ])
    workplace.say(table([['ID', 'SINCE (UTC)', 'BUSINESS', 'TO', 'STATE', 'PROBLEM'], ...rows]))
  },
}

export const retryMails: Command = {
  name: 'mails retry',
  parameters: '<id or email> | --all',
  summary:
    'Sends given-up mails again: one mail, those to one address, or all. Each contains the news as it stands now.',
  options: { all: { type: 'boolean' } },
  async run(given, workplace) {
    const isForAll = given.values['all'] === true
    if (isForAll) noPositional(retryMails, given)
    const idOrEmail = isForAll ? undefined : onlyPositional(retryMails, given).trim().toLowerCase()
    // This process also runs jobs, so that the mails are sent even if no portal runs.
    const { deps } = await workplace.workingParts()
    const count = await sendMailsAgain(deps, idOrEmail)
    if (count === 0)
      throw new CommandFailed('No given-up mail matches; npm run portal -- mails lists the given-up mails')
    workplace.say(`Mails queued to be sent again: ${count}`)
  },
}
