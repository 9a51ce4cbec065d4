import type { Deps } from '../../deps.ts'
import { reviveMailsOfAllPartners } from './mails.queries.ts'
import { sendNewsMail } from './send-news-mail.job.ts'

/** Queues given-up mails again: the mail with this id, all mails to this address, or all mails. Returns how many. */
export function sendMailsAgain({ db, jobs }: Pick<Deps, 'db' | 'jobs'>, idOrEmail?: string): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const mails = await reviveMailsOfAllPartners(tx, idOrEmail)
    for (const { id, partner_id } of mails) await jobs.enqueue(tx, sendNewsMail, { partnerId: partner_id, mailId: id })
    return mails.length
  })
}
