import { cleanText } from '@portal/contract/clean-text.ts'
import type { Manager } from '@portal/contract/manager.ts'
import { meaningOf, SIDE_TEXTS } from '@portal/contract/meanings.ts'
import { formatCents, formatMoney } from '@portal/contract/money.ts'
import { MAIL_KIND_WORDS } from '@portal/contract/notifications.ts'
import { submitterName } from '@portal/contract/submitted-by.ts'
import { verdictText } from '@portal/contract/verdict.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { type MailPart, text } from '../../platform/mail/mail-parts.ts'
import { shortened, TAKEN_BACK } from '../../records/events/activity.ts'
import type { MailNews, NewsData } from '../../records/events/mail-news.ts'
import type { StatusMeanings } from '../../records/histories/status-meanings.ts'
import { passOn } from '../../records/histories/with-side.ts'
import { greeting } from '../accounts/mails.ts'
import type { Person } from '../accounts/people.queries.ts'
import type { ReferralFacts } from './mails.queries.ts'
import type { Present } from './present.ts'

interface About extends Present {
  isDigest: boolean
  /** When the mail was made. */
  at: string
  timeZone: string
  publicUrl: string
  /** The token of the unsubscribe link. */
  token: string
  manager: Manager | null
  statusMeanings: StatusMeanings
}

/** A mail lists at most this many leads and deals. */
const LISTED_MAX = 50
/** A lender's note is quoted up to these lengths: in a mail about one record, and in a list of several records. */
const QUOTED_MAX = 2_000
const QUOTED_IN_LIST_MAX = 300
const SUBJECT_NAME_MAX = 60

/**
 * Makes a mail about one lead or deal, about several, or about the webhook. The caller passes the oldest news first; the
 * mail tells the newest first (D129).
 */
export function newsMail(person: Person, news: readonly MailNews[], about: About): Mail {
  const { to, unsubscribeUrl } = {
    to: person.email,
    unsubscribeUrl: `${about.publicUrl}/unsubscribe?token=${about.token}`,
  }
  const records = [...Map.groupBy(news.toReversed(), (one) => one.loid ?? one.id).values()]
  const [only] = records
  const body = only && records.length === 1 && !about.isDigest ? recordMail(only, about) : listMail(records, about)
  const parts = [greeting(person), ...body.parts, ...contactPart(about.manager), ...footer(news, about)]
  // The CRM's texts may have signs that nobody sees, such as those that turn the direction of writing (D143).
  return { to, unsubscribeUrl, subject: cleanText(body.subject), parts }
}

/** Names the partner's contact at the lender (D114). */
function contactPart(manager: Manager | null): MailPart[] {
  const known = [manager?.name, manager?.phone, manager?.email].filter(Boolean)
  return known.length === 0 ? [] : [text(`Your contact at the lender: ${known.join(', ')}.`)]
}

type Body = Pick<Mail, 'subject' | 'parts'>

function recordMail(changes: readonly MailNews[], about: About): Body {
  const leading = leadingOf(changes)
  if (leading.type === 'endpoint.disabled') return endpointMail(leading.data, about)
  const timeOf = timesIn(about)
  const more = changes.length - 1
  const others = more > 0 ? `, and ${more} more ${more === 1 ? 'change' : 'changes'}` : ''
  return {
    subject: `${headline(leading, about)}${others}`,
    parts: [
      text(`${[`${nameOf(leading)} (${leading.loid})`, ...factsOf(changes, about)].join(', ')}.`),
      ...changes.flatMap((change) => changeParts(change, timeOf, QUOTED_MAX, about)),
      ...nextStep(changes, about),
      openButton(changes, about),
    ],
  }
}

function listMail(records: readonly (readonly MailNews[])[], about: About): Body {
  const webhooks = records.filter(([news]) => news?.type === 'endpoint.disabled')
  const referrals = records.length - webhooks.length
  const told = [
    ...(referrals > 0 ? [`${referrals} ${referrals === 1 ? 'lead or deal' : 'leads and deals'}`] : []),
    ...(webhooks.length > 0 ? ['your webhook URL'] : []),
  ].join(' and ')
  const listed = records.slice(0, LISTED_MAX)
  const left = records.length - listed.length
  const timeOf = timesIn(about)
  return {
    subject: about.isDigest ? `Your digest: news of ${told}` : `News of ${told}`,
    parts: [
      text(
        about.isDigest
          ? 'Here is what happened since your last digest.'
          : 'Several things happened at once. Here they are.',
      ),
      ...listed.flatMap((changes) => [
        recordPart(changes, about),
        ...changes.flatMap((change) => changeParts(change, timeOf, QUOTED_IN_LIST_MAX, about)),
        ...nextStep(changes, about),
      ]),
      ...(left > 0 ? [text(`And ${left} more.`)] : []),
      { part: 'button', label: 'Open the dashboard', url: `${about.publicUrl}/dashboard` },
    ],
  }
}

function endpointMail(data: NewsData['endpoint.disabled'], { publicUrl }: About): Body {
  return {
    subject: 'Your webhook URL was disabled',
    parts: [
      text(notSentText(data)),
      text(WHY_DISABLED[data.reason]),
      {
        part: 'button',
        text: 'The log shows your server’s answers and lets you resend the events that your server missed',
        label: 'Open the webhook log',
        url: `${publicUrl}/webhook`,
      },
      text('To enable the URL again, save it again on the same page.'),
    ],
  }
}

/** Names only the host, because the rest of the URL may be a secret. */
function notSentText({ url }: NewsData['endpoint.disabled']): string {
  return `Change notifications are no longer sent to the webhook URL at ${new URL(url).host}.`
}

const WHY_DISABLED = {
  gone: 'It answered 410 Gone, which means that we should stop.',
  failing: 'Every attempt of the last five days failed.',
}

/**
 * The kinds of news, the most important first. The subject names the most important change, or the latest of several
 * equally important changes.
 */
const RANKS: readonly MailNews['kind'][] = [
  'outcome',
  'payment',
  'lender-note',
  'crm',
  'webhook',
  'deal-stage',
  'lead-status',
]

function leadingOf(changes: readonly MailNews[]): MailNews {
  return changes.reduce((best, one) => (RANKS.indexOf(one.kind) < RANKS.indexOf(best.kind) ? one : best))
}

function nameOf(news: MailNews): string {
  if (news.type === 'endpoint.disabled') return 'Webhook'
  return cleanText(news.data.business_name ?? '').trim() || (news.loid ?? '')
}

function headline(news: MailNews, { facts, requests }: About): string {
  const name = shortened(nameOf(news), SUBJECT_NAME_MAX)
  switch (news.type) {
    case 'lead.status_changed':
    case 'deal.stage_changed': {
      // The record may have moved on with a change that another mail tells.
      const now = facts.get(news.loid ?? '') ?? standingAfter(news)
      return outcomeOf(now) === 'funded' ? `Good news: ${name} is ${now.value}` : `${name} is now ${now.value}`
    }
    case 'lead.verdict_changed':
      return `The lender about ${name}: ${verdictText(news.data) ?? TAKEN_BACK}`
    case 'lead.converted':
      return `${name} became a deal`
    case 'deal.paid':
      return `Your commission for ${name} is paid`
    case 'note.added':
      return `The lender wrote about ${name}`
    case 'request.opened':
      return `The lender asks about ${name}: ${askedIn(news.data)}`
    case 'request.reopened':
      return `The lender asks again about ${name}: ${askedIn(news.data)}`
    case 'request.accepted':
      return isAnswered(news, requests)
        ? `The lender accepted your answer about ${name}`
        : `The lender no longer asks about ${name}: ${askedIn(news.data)}`
    case 'document.added':
      return `The lender sent a document about ${name}`
    case 'push.given-up':
      return `${name} could not reach the CRM`
    case 'endpoint.disabled':
      return 'Your webhook URL was disabled'
  }
}

function changeParts(
  news: MailNews,
  timeOf: (instant: string) => string,
  quotedMax: number,
  { commissions, requests }: About,
): MailPart[] {
  const time = timeOf(news.at)
  const change = (words: string): MailPart => ({ part: 'change', text: words, time })
  switch (news.type) {
    case 'lead.status_changed':
      return [change(`The lead moved from ${news.data.previous} to ${news.data.status}.`)]
    case 'lead.verdict_changed':
      return [change(`The lender’s verdict: ${verdictText(news.data) ?? TAKEN_BACK}.`)]
    case 'lead.converted':
      return [change('The lead became a deal.')]
    case 'deal.stage_changed':
      return [change(`The deal moved from ${news.data.previous} to ${news.data.stage}.`)]
    case 'deal.paid':
      return [change(paidText(commissions.get(news.loid ?? '')?.partner_commission ?? null))]
    case 'note.added': {
      const { content, created_by } = news.data
      const quoted = shortened(content.trim(), quotedMax)
      return [change(`${created_by ?? 'The lender'} wrote:`), { part: 'quote', text: quoted }]
    }
    case 'request.opened':
    case 'request.reopened': {
      const { reason, due_on } = news.data
      const until = due_on === null ? '' : ` Until ${dayFormat.format(new Date(due_on))}.`
      const quote: MailPart[] = reason ? [{ part: 'quote', text: shortened(reason.trim(), quotedMax) }] : []
      const asks = news.type === 'request.opened' ? 'asks' : 'asks again'
      return [change(`The lender ${asks}: ${askedIn(news.data)}.${until}`), ...quote]
    }
    case 'request.accepted':
      return [
        change(`The lender ${isAnswered(news, requests) ? 'accepted' : 'no longer asks'}: ${askedIn(news.data)}.`),
      ]
    case 'document.added':
      return [
        change(
          `The lender sent a document${news.data.document_name === null ? '' : `: ${shortened(news.data.document_name, SUBJECT_NAME_MAX)}`}.`,
        ),
      ]
    case 'push.given-up':
      return [
        change(`The CRM did not accept the ${news.data.what}. Open the ${news.data.on} to see why, and to try again.`),
      ]
    case 'endpoint.disabled':
      return [change(`${notSentText(news.data)} ${WHY_DISABLED[news.data.reason]}`)]
  }
}

/** A commission below zero is money that the lender takes back. */
function paidText(amount: number | null): string {
  if (amount === null) return 'The lender paid your commission.'
  return amount < 0 ? `The lender took back ${formatCents(-amount)}.` : `The lender paid you ${formatCents(amount)}.`
}

/** The days of requests are plain dates, which are in no time zone. */
const dayFormat = new Intl.DateTimeFormat('en-AU', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

function askedIn({ subject }: NewsData['request.opened']): string {
  return subject === null ? 'something' : shortened(subject, SUBJECT_NAME_MAX)
}

/** The lender can also complete a request that nobody has answered. */
function isAnswered({ data }: Extract<MailNews, { type: 'request.accepted' }>, requests: Present['requests']): boolean {
  return Boolean(requests.get(data.request_id)?.answered_at)
}

function recordPart(changes: readonly MailNews[], about: About): MailPart {
  const leading = leadingOf(changes)
  const { url } = pageOf(changes, about)
  const details = [leading.loid ?? 'change notifications', ...factsOf(changes, about)].join(', ')
  return { part: 'record', name: nameOf(leading), loid: details, url }
}

/** The amount, and who submitted the lead or deal. */
function factsOf(changes: readonly MailNews[], { facts }: About): string[] {
  const { loid, data } = leadingOf(changes)
  const known = facts.get(loid ?? '')
  const amount = 'amount' in data ? data.amount : known?.amount
  return [
    ...(amount === null || amount === undefined ? [] : [formatMoney(amount)]),
    ...(known?.submitted_by ? [`submitted by ${submitterName(known.submitted_by)}`] : []),
  ]
}

/**
 * What the present status or stage means, and whose turn it is. A note by the lender asks for an answer, but the turn
 * stays where the status puts it (D127), as rows and pages show it. A referral that has ended has no next step. Once the
 * partner has answered, the mail does not say what the status means, because that may ask for the answer.
 */
function nextStep(changes: readonly MailNews[], { facts, settledNotes, statusMeanings }: About): MailPart[] {
  const [newest] = changes
  const known = facts.get(newest?.loid ?? '')
  const at = known ?? changes.filter(isMove).map(standingAfter)[0]
  if (!newest || !at || newest.type === 'push.given-up' || newest.type === 'deal.paid') return []
  const { meaning, side: usual } = statusMeanings(at.kind, at.value)
  const side = known ? passOn(usual, known) : usual
  if (newest.type === 'note.added') {
    return side === null || settledNotes.has(newest.id) ? [] : [text('The note waits for your answer.')]
  }
  const isAsked = side !== null && known?.is_asked
  const turn = isAsked ? `${SIDE_TEXTS.partner}: the lender waits for your answer.` : side && `${SIDE_TEXTS[side]}.`
  const words = [usual === 'partner' && side === 'lender' ? null : meaning, turn].filter(Boolean).join(' ')
  return words === '' ? [] : [text(words)]
}

type Standing = Pick<ReferralFacts, 'kind' | 'value'>
type Move = Extract<MailNews, { type: 'lead.status_changed' | 'deal.stage_changed' }>

function isMove(news: MailNews): news is Move {
  return news.type === 'lead.status_changed' || news.type === 'deal.stage_changed'
}

export function standingAfter(news: Move): Standing {
  return news.type === 'lead.status_changed'
    ? { kind: 'lead-status', value: news.data.status }
    : { kind: 'deal-stage', value: news.data.stage }
}

export function outcomeOf({ kind, value }: Standing) {
  return meaningOf(kind, value).outcome
}

function openButton(changes: readonly MailNews[], about: About): MailPart {
  const asked = changes.find((one) => one.type === 'request.opened' || one.type === 'request.reopened')
  if (asked && 'request_id' in asked.data) {
    const { url } = pageOf(changes, about)
    return { part: 'button', label: 'Answer', url: `${url}?answer=${asked.data.request_id}` }
  }
  const { url, label } = pageOf(changes, about)
  return { part: 'button', label, url }
}

/** The record's page after the latest change. For a converted lead, this is the page of its deal (D18). */
function pageOf(changes: readonly MailNews[], { publicUrl }: About): { url: string; label: string } {
  const last = changes.find((one) => one.type !== 'note.added') ?? changes[0]
  const deal = { url: `${publicUrl}/deals/${last?.loid}`, label: 'Open the deal' }
  const lead = { url: `${publicUrl}/leads/${last?.loid}`, label: 'Open the lead' }
  switch (last?.type) {
    case 'lead.status_changed':
    case 'lead.verdict_changed':
      return lead
    case 'lead.converted':
      return last.data.deal_loid ? { ...deal, url: `${publicUrl}/deals/${last.data.deal_loid}` } : lead
    case 'note.added':
    case 'request.opened':
    case 'request.reopened':
    case 'request.accepted':
    case 'document.added':
    case 'push.given-up':
      return last.data.on === 'deal' ? deal : lead
    case 'endpoint.disabled':
      return { url: `${publicUrl}/webhook`, label: 'Open the webhook log' }
    default:
      return deal
  }
}

/**
 * Returns a function that writes a time as `9:12 am AEDT` on the day of the mail, and as `Fri 6 Mar, 9:12 am AEDT` on
 * another day. It names the zone, because a person who chose none may be in another one. One mail can list 10,000
 * changes, and making a formatter takes far longer than using it.
 */
function timesIn({ at, timeZone }: About): (instant: string) => string {
  const day = new Intl.DateTimeFormat('en-AU', { weekday: 'short', day: 'numeric', month: 'short', timeZone })
  const time = new Intl.DateTimeFormat('en-AU', {
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
  const dayOf = (instant: string) => day.format(new Date(instant)).replace(',', '')
  const today = dayOf(at)
  return (instant) => {
    const on = dayOf(instant)
    const timeOfDay = time.format(new Date(instant))
    return on === today ? timeOfDay : `${on}, ${timeOfDay}`
  }
}

function footer(news: readonly MailNews[], { isDigest, publicUrl, token }: About): MailPart[] {
  const kinds = [...new Set(news.map((one) => MAIL_KIND_WORDS[one.kind]))].join(', ')
  return [
    {
      part: 'footer',
      text: `You get these kinds of news ${isDigest ? 'in your digest' : 'at once'}: ${kinds}. To change this:`,
      label: 'Notifications',
      url: `${publicUrl}/profile/notifications`,
    },
    {
      part: 'footer',
      text: 'No more emails like this:',
      label: 'Unsubscribe',
      url: `${publicUrl}/unsubscribe?token=${token}`,
    },
  ]
}
