import type { AccessKind } from '@portal/contract/access.ts'
import { brandInSentence } from '@portal/contract/brand.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import type { EmailChangeRow } from '../../platform/db/tables.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { type MailPart, text } from '../../platform/mail/mail-parts.ts'
import type { Notice, NoticedAccess } from './notice.ts'
import type { Person } from './people.queries.ts'

/** What mails say of the portal: where it is, and its name (D115). */
interface Portal {
  publicUrl: string
  brandName: string
}

/**
 * The mails to an address that nobody has proved to be theirs repeat nothing that a stranger typed (D132): no name and
 * no business name. Somebody may sign up with a stranger's address to make the lender write to it.
 */
export function welcomeMail({ email }: Person, { publicUrl, brandName }: Portal, token: string): Mail {
  return {
    to: email,
    subject: `Welcome to ${brandInSentence(brandName)}`,
    parts: [
      text(GREETING),
      { part: 'link', text: 'Your partner account is ready:', label: 'Sign in', url: `${publicUrl}/login` },
      ...confirmation(publicUrl, token),
    ],
  }
}

export function verificationMail({ email }: Person, { publicUrl }: Portal, token: string): Mail {
  return {
    to: email,
    subject: 'Confirm your email address',
    parts: [
      text(GREETING),
      text('There is a partner account with this email address.'),
      ...confirmation(publicUrl, token),
    ],
  }
}

function confirmation(publicUrl: string, token: string): MailPart[] {
  return [
    {
      part: 'button',
      text: 'Please confirm your email address',
      label: 'Confirm email address',
      url: `${publicUrl}/verify-email?token=${token}`,
    },
    {
      part: 'link',
      text: 'I did not create this account:',
      label: 'Close it',
      url: `${publicUrl}/disown?token=${token}`,
    },
  ]
}

const IGNORE = text('If you did not ask for this, ignore this email. Nothing will change.')

export function resetMail(person: Person, { publicUrl, brandName }: Portal, token: string): Mail {
  return {
    to: person.email,
    subject: `Reset your ${brandName} password`,
    parts: [
      greeting(person),
      {
        part: 'button',
        text: 'Set a new password within the next hour',
        label: 'Set a new password',
        url: `${publicUrl}/reset-password?token=${token}`,
      },
      IGNORE,
    ],
  }
}

export function emailChangeMail(
  { email_verified }: Person,
  { new_email, old_email }: EmailChangeRow,
  { publicUrl, brandName }: Portal,
  token: string,
): Mail {
  const inPlace = email_verified ? `, in place of ${old_email}` : ''
  return {
    to: new_email,
    subject: 'Confirm your new email address',
    parts: [
      text(GREETING),
      {
        part: 'button',
        text: `Make this the email address of your ${brandName} account${inPlace}, within the next 24 hours`,
        label: 'Use this address',
        url: `${publicUrl}/confirm-email?token=${token}`,
      },
      IGNORE,
    ],
  }
}

/** `token` is undefined if nobody ever confirmed the old address. The mail then has no link. */
export function emailChangedMail(
  person: Person,
  { new_email, old_email }: EmailChangeRow,
  { publicUrl, brandName }: Portal,
  token: string | undefined,
): Mail {
  // Only a confirmed address can undo the change.
  if (token === undefined) {
    return {
      to: old_email,
      subject: 'Your email address was changed',
      parts: [
        text(GREETING),
        text(
          `The ${brandName} account with this email address now has a different one. No more emails about the account will be sent to this address.`,
        ),
      ],
    }
  }
  const undo: MailPart[] = [
    {
      part: 'button',
      text: 'If this was not you, undo the change within the next 72 hours',
      label: 'Undo the change',
      url: `${publicUrl}/undo-email?token=${token}`,
    },
    text('Undoing the change ends every session of the account. You then choose a new password.'),
  ]
  return {
    to: old_email,
    subject: 'Your email address was changed',
    parts: [
      greeting(person),
      text(`Your ${brandName} account for ${person.business_name} now has a different email address: ${new_email}`),
      ...undo,
    ],
  }
}

const SECURITY = '/profile/security'
const PAGE_NAMES = { [SECURITY]: 'Everything that can get in', '/api-keys': 'API Keys', '/webhook': 'Webhook' }

const NOTICES: Record<Notice['what'], { subject: string; event: string; page?: keyof typeof PAGE_NAMES }> = {
  'signed-in-elsewhere': {
    subject: 'A sign-in from a new browser',
    event: 'there was a sign-in from a new browser',
    page: SECURITY,
  },
  'password-changed': {
    subject: 'Your password was changed',
    event: 'the password was changed',
    page: SECURITY,
  },
  'password-reset': {
    subject: 'Your password was reset',
    event: 'the password was reset by email',
    page: SECURITY,
  },
  'api-key-made': { subject: 'An API key was made', event: 'an API key was made', page: '/api-keys' },
  'api-key-revoked': { subject: 'Your API key was revoked', event: 'an API key was revoked', page: '/api-keys' },
  'webhook-url-set': { subject: 'Your webhook URL was changed', event: 'a webhook URL was saved', page: '/webhook' },
  'webhook-url-removed': {
    subject: 'Your webhook URL was removed',
    event: 'the webhook URL was removed',
    page: '/webhook',
  },
  'webhook-secret-made': {
    subject: 'Your signing secret was changed',
    event: 'a new signing secret was made for the webhook URL',
    page: '/webhook',
  },
  'second-factor-added': { subject: 'A second factor was added', event: 'a second factor was added', page: SECURITY },
  'second-factor-removed': {
    subject: 'A second factor was removed',
    event: 'a second factor was removed',
    page: SECURITY,
  },
  'second-factor-reset': {
    subject: 'Your second factor was reset',
    event: 'our staff removed the second factor',
    page: SECURITY,
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    event: 'a recovery code was used as the second factor',
    page: SECURITY,
  },
  'recovery-codes-made': {
    subject: 'New recovery codes were made',
    event: 'new recovery codes were made',
    page: SECURITY,
  },
  'owner-invited': { subject: 'Somebody was invited as an owner', event: 'was invited as an owner', page: SECURITY },
  'person-joined': { subject: 'Somebody joined your team', event: 'joined the team', page: SECURITY },
  'role-changed': { subject: 'A role in your team was changed', event: 'was given another role', page: SECURITY },
  'email-change-asked': {
    subject: 'A change of an email address was requested',
    event: 'asked to change their email address',
    page: SECURITY,
  },
}

export function noticeMail(
  person: Person,
  publicUrl: string,
  { what, at, from, access, about, key }: Notice,
  timeZone: string,
): Mail {
  const { subject, event, page } = NOTICES[what]
  const format = new Intl.DateTimeFormat('en-AU', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    // The reader may be in another zone.
    timeZoneName: 'short',
    timeZone,
  })
  const time = (instant: string) => format.format(new Date(instant))
  const { email_verified, business_name } = person
  const phraseOf = ({ kind, name }: NoticedAccess) =>
    email_verified ? ACCESS_PHRASES[kind].named(name) : ACCESS_PHRASES[kind].unnamed
  const named = (items: NoticedAccess[]) =>
    items.map((item) => `${phraseOf(item)}, since ${time(item.added_at)}`).join('; ')
  const aboutNamed = about && `${about.name} (${about.email}, ${ROLE_NAMES[about.role].toLowerCase()})`
  const whose = email_verified ? `for ${business_name}` : 'with this email address'
  const who = email_verified ? aboutNamed : about && 'somebody'
  const parts: MailPart[] = [
    greeting(person),
    text(`On ${time(at)} ${[who, event].filter(Boolean).join(' ')} in the partner account ${whose}.`),
    ...(from ? [text(`It was ${from.browser ?? 'an unknown browser'}, at the IP address ${from.ip}.`)] : []),
    ...(key !== undefined && email_verified ? [text(`The key’s name is “${key}”.`)] : []),
    ...(access && access.removed.length > 0 ? [text(`Removed at the same time: ${named(access.removed)}.`)] : []),
    ...(access && access.left.length > 0 ? [text(`These can still get in: ${named(access.left)}.`)] : []),
    {
      part: 'button',
      text: 'If this was not you, choose a new password now',
      label: 'Choose a new password',
      url: `${publicUrl}/forgot-password`,
    },
    ...(page
      ? [{ part: 'link', text: 'Then look at', label: PAGE_NAMES[page], url: `${publicUrl}${page}` } as const]
      : []),
  ]
  return { to: person.email, subject, parts }
}

const ACCESS_PHRASES: Record<AccessKind, { unnamed: string; named: (name: string) => string }> = {
  session: { unnamed: 'a session', named: (name) => `the session in ${name}` },
  passkey: { unnamed: 'a passkey', named: (name) => `the passkey ${name}` },
  app: { unnamed: 'the authenticator app', named: () => 'the authenticator app' },
  'api-key': { unnamed: 'the API key', named: (name) => `the API key ${name}` },
  webhook: { unnamed: 'the webhook URL', named: (name) => `the webhook URL at ${name}` },
  person: { unnamed: 'a person', named: (name) => name },
  invitation: { unnamed: 'an invitation', named: (name) => `the invitation for ${name}` },
}

const GREETING = 'Hello,'

/** Names the person only if the address is proved to be theirs (D132). */
export function greeting(person: Pick<Person, 'first_name' | 'business_name' | 'email_verified'>): MailPart {
  return text(person.email_verified ? `Hello ${person.first_name ?? person.business_name},` : GREETING)
}
