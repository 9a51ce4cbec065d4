import {
  DEFAULT_TIMINGS,
  MAIL_KINDS,
  type MailKind,
  type MailTiming,
  type NotificationChange,
  type NotificationSettings,
} from '@portal/contract/notifications.ts'
import type { Role } from '@portal/contract/roles.ts'
import type { Deps } from '../../deps.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { Person } from '../accounts/people.queries.ts'
import { lookAgainAtWaitingNews } from './mails.queries.ts'
import { findSettings, saveSettings } from './settings.queries.ts'

/** Only owners look after the webhook, so only they get news of it. Only people who see money get news of payments. */
export function concerns(kind: MailKind, { role, sees_money }: Pick<Person, 'role' | 'sees_money'>): boolean {
  if (kind === 'payment') return sees_money
  return kind !== 'webhook' || role === 'owner'
}

/**
 * When a person who has chosen nothing gets this kind of news. Only owners hear at once of referrals that are not their
 * own (D129).
 */
export function defaultTiming(kind: MailKind, role: Role, isOwn: boolean): MailTiming {
  return isOwn || role === 'owner' ? DEFAULT_TIMINGS[kind] : 'digest'
}

export async function readSettingsOf(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { personId, role, personRights }: Pick<SessionCaller, 'personId' | 'role' | 'personRights'>,
): Promise<NotificationSettings> {
  const settings = await findSettings(db, personId)
  const kinds = MAIL_KINDS.filter((kind) => concerns(kind, { role, sees_money: personRights.includes('money') }))
  return {
    choices: Object.fromEntries(kinds.map((kind) => [kind, settings?.choices[kind] ?? DEFAULT_TIMINGS[kind]])),
    at_once_if_own: kinds.filter(
      (kind) => !settings?.choices[kind] && defaultTiming(kind, role, true) !== defaultTiming(kind, role, false),
    ),
    time_zone: settings?.time_zone ?? config.timezone,
  }
}

/**
 * Saves the settings and makes waiting news due now, because the new settings may send it at another time or not at
 * all.
 */
export async function changeSettingsOf(
  deps: Pick<Deps, 'db' | 'config' | 'clock'>,
  caller: SessionCaller,
  { choices = {}, time_zone: timeZone }: NotificationChange,
): Promise<NotificationSettings> {
  await deps.db.transaction().execute(async (tx) => {
    await saveSettings(tx, caller.personId, { choices, timeZone })
    await lookAgainAtWaitingNews(tx, caller.personId, deps.clock.now().toISOString())
  })
  return readSettingsOf(deps, caller)
}
