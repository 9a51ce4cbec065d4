import type { Role } from './roles.ts'

/**
 * What a person may see besides what the role allows (D111). Owners have every right, and give it on /team. Nobody has a
 * right to what the lender's CRM does not have.
 */
export const PERSON_RIGHTS = ['money'] as const
export type PersonRight = (typeof PERSON_RIGHTS)[number]

/** The explanation that /team shows. */
export const PERSON_RIGHT_TEXTS: Record<PersonRight, string> = {
  money: 'Sees what the lender pays you. Owners always do.',
}

/** Whether a person with this role has every right without being given it. */
export function hasEveryRight(role: Role): boolean {
  return role === 'owner'
}

export function askForRight(businessName: string): string {
  return `Ask an owner of ${businessName} to let you see payments.`
}
