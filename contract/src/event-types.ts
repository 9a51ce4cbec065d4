/** What can happen to a lead, deal or note (D35). */
export const RECORD_EVENT_TYPES = [
  'lead.created',
  'lead.status_changed',
  'lead.verdict_changed',
  'lead.converted',
  'lead.removed',
  'lead.restored',
  'deal.created',
  'deal.stage_changed',
  'deal.updated',
  'deal.removed',
  'deal.restored',
  'note.added',
] as const
