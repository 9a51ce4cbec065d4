/** What a person may do for the partner. The widest role comes first, and each includes the roles after it (D61). */
export const ROLES = ['owner', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', member: 'Member', viewer: 'Viewer' }

/** The explanations that /team shows. */
export const ROLE_TEXTS: Record<Role, string> = {
  owner: 'Manages everything, including the team, API keys and the webhook.',
  member: 'Submits leads, writes notes, syncs with the CRM.',
  viewer: 'Sees leads, deals and the dashboard, and changes nothing.',
}

/** Each answer to a call with a session has the person's current role in this header. */
export const ROLE_HEADER = 'portal-role'

/** The role of this name. */
export function roleOf(name: string | null): Role | undefined {
  return ROLES.find((role) => role === name)
}

export function reaches(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(least)
}

export function askAnOwner(businessName: string): string {
  return `Ask an owner of ${businessName} to do this.`
}
