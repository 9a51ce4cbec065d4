import * as z from 'zod/mini'
import { ROLES } from './roles.ts'

export const RoleField = z.enum(ROLES, { error: `Role must be one of: ${ROLES.join(', ')}` })
