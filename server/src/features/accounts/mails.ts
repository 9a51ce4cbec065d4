import type { AccessKind } from '@portal/contract/access.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import type { EmailChangeRow } from '../../db/tables.ts'
import type { Mail } from '../../mail/mail.ts'
import { type MailPart, text } from '../../mail/mail-parts.ts'
import type { Notice, NoticedAccess } from './mail-notice.job.ts'
import type { Person } from './people.queries.ts'

export function welcomeMail(person: Person, publicUrl: string, token: string): Mail {
  return {
    to: person.email,
    subject: 'Welcome to the Partner Portal',
    parts: [
      greeting(person),
      {
        part: 'link',
        text: `Your partner account for ${person.business_name} is ready:`,
        label: 'Sign in',
        url: `${publicUrl}/login`,
      },
      ...confirmation(publicUrl, token),
    ],
  }
}

export function verificationMail(person: Person, publicUrl: string, token: string): Mail {
  return {
    to: person.email,
    subject: 'Confirm your email address',
    parts: [
      greeting(person),
      text(`There is a partner account for ${person.business_name} with this email address.`),
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

export function resetMail(person: Person, publicUrl: string, token: string): Mail {
  return {
    to: person.email,
    subject: 'Reset your Partner Portal password',
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
  person: Person,
  { new_email, old_email }: EmailChangeRow,
  publicUrl: string,
  token: string,
): Mail {
  return {
    to: new_email,
    subject: 'Confirm your new email address',
    parts: [
      greeting(person),
      {
        part: 'button',
        text: `Make this the email address of your Partner Portal account, in place of ${old_email}, within the next 24 hours`,
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
  publicUrl: string,
  token: string | undefined,
): Mail {
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
      text(`Your Partner Portal account for ${person.business_name} now has a different email address: ${new_email}`),
      ...(token ? undo : [text('No more emails about the account will be sent to this address.')]),
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
  'api-key-revoked': { subject: 'Your API key was revoked', event: 'the API key was revoked', page: '/api-keys' },
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
  { what, at, from, access, about }: Notice,
  timeZone: string,
): Mail {
  const { subject, event, page } = NOTICES[what]
  const time = (instant: string) =>
    new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(instant))
  const named = (items: NoticedAccess[]) =>
    items.map(({ kind, name, added_at }) => `${ACCESS_PHRASES[kind](name)}, since ${time(added_at)}`).join('; ')
  const subjectOf = about && `${about.name} (${about.email}, ${ROLE_NAMES[about.role].toLowerCase()})`
  const parts: MailPart[] = [
    greeting(person),
    text(
      `On ${time(at)} ${[subjectOf, event].filter(Boolean).join(' ')} in the partner account for ${person.business_name}.`,
    ),
    ...(from ? [text(`It was ${from.browser ?? 'an unknown browser'}, at the IP address ${from.ip}.`)] : []),
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

const ACCESS_PHRASES: Record<AccessKind, (name: string) => string> = {
  session: (name) => `the session in ${name}`,
  passkey: (name) => `the passkey ${name}`,
  app: () => 'the authenticator app',
  'api-key': (name) => `the API key ${name}`,
  webhook: (name) => `the webhook URL at ${name}`,
  person: (name) => name,
  invitation: (name) => `the invitation for ${name}`,
}

export function greeting(person: Pick<Person, 'first_name' | 'business_name'>): MailPart {
  return text(`Hello ${person.first_name ?? person.business_name},`)
}
