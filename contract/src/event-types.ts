import type { PersonRight } from './person-rights.ts'

/** What can happen to a lead, deal, note, request or document (D35, D106). */
export const SHARED_EVENT_TYPES = [
  'lead.created',
  'lead.status_changed',
  'lead.verdict_changed',
  'lead.corrected',
  'lead.withdrawn',
  'lead.converted',
  'lead.removed',
  'lead.restored',
  'deal.created',
  'deal.stage_changed',
  'deal.updated',
  'deal.removed',
  'deal.restored',
  'note.added',
  'request.opened',
  'request.answered',
  'request.accepted',
  'request.reopened',
  'request.withdrawn',
  'document.added',
] as const

/** What only people who see money are told (D111). No endpoint is told of it. */
export const MONEY_EVENT_TYPES = ['deal.paid'] as const

export const RECORD_EVENT_TYPES = [...SHARED_EVENT_TYPES, ...MONEY_EVENT_TYPES] as const

/** Whether the rights of a reader allow to tell it of this type of event. */
export function mayTell(type: string, rights: readonly PersonRight[]): boolean {
  return rights.includes('money') || !MONEY_EVENT_TYPES.some((one) => one === type)
}
