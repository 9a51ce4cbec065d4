import * as z from 'zod/mini'
import { NAME_LENGTH_MAX } from './limits.ts'
import { optionalName, requiredName } from './own-names.ts'
import { RoleField } from './role-field.ts'
import { Email } from './text.ts'

export const NewInvitation = z.object({
  email: Email,
  firstName: requiredName('First name', NAME_LENGTH_MAX),
  lastName: optionalName('Last name', NAME_LENGTH_MAX),
  role: RoleField,
})
export type NewInvitation = z.infer<typeof NewInvitation>
