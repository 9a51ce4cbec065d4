import {
  BookOpen,
  HandCoins,
  Handshake,
  KeyRound,
  LayoutDashboard,
  Settings,
  ShieldCheck,
  Users,
  UsersRound,
  Webhook,
} from 'lucide-react'
import { paths } from '../paths.ts'

/**
 * The entries of the menu. `key` is the letter that opens the page after G (D85). An entry stays marked on the pages below
 * it: Leads is marked on a lead's page.
 */
export const WORK = [
  { label: 'Dashboard', link: paths.dashboard, Icon: LayoutDashboard, least: 'viewer', key: 'd' },
  { label: 'Leads', link: paths.leads, Icon: Users, least: 'viewer', key: 'l', news: 'leads' },
  { label: 'Deals', link: paths.deals, Icon: Handshake, least: 'viewer', key: 'e', news: 'deals' },
  { label: 'Payments', link: paths.payments, Icon: HandCoins, least: 'viewer', key: 'm', right: 'money' },
] as const
export const INTEGRATIONS = [
  { label: 'Webhook', link: paths.webhook, Icon: Webhook, least: 'owner', key: 'w' },
  { label: 'API Keys', link: paths.apiKeys, Icon: KeyRound, least: 'owner', key: 'k' },
  { label: 'API Docs', link: paths.apiDocs, Icon: BookOpen, least: 'viewer', key: 'a' },
] as const
export const BUSINESS = [
  { label: 'Team', link: paths.team, Icon: UsersRound, least: 'owner', key: 't' },
  { label: 'Security Log', link: paths.security, Icon: ShieldCheck, least: 'owner', key: 's' },
  { label: 'Profile Settings', link: paths.profile, Icon: Settings, least: 'viewer', key: 'p' },
] as const

export const ENTRIES = [...WORK, ...INTEGRATIONS, ...BUSINESS]

/** Whether the person has the right that the entry needs besides the role (D111). */
export function isOpenTo(entry: object, seesPayments: boolean): boolean {
  return !('right' in entry) || seesPayments
}
