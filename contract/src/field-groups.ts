/**
 * The groups of fields that an organisation may lack (D110, D112–D114, D116). A group is on where the organisation has the group's
 * first field in `FIELDS`, and where it is off, nothing of it is asked for or shown.
 */
export const FIELD_GROUPS = ['verdict', 'payments', 'manager', 'access', 'facts', 'agreement', 'tax'] as const

export type FieldGroup = (typeof FIELD_GROUPS)[number]
