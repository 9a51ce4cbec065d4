import * as z from 'zod/mini'

/** The partner's contact at the lender, as the partner's CRM record names them (D114). At least one value is there. */
export const Manager = z.object({
  name: z.nullable(z.string()),
  phone: z.nullable(z.string()),
  email: z.nullable(z.string()),
})
export type Manager = z.infer<typeof Manager>
