import type { ComponentProps } from 'react'
import { Checkbox } from '../../ui/field.tsx'

/**
 * The checkbox beside a new password. If an owner checks it, the server also revokes the partner's API key and
 * webhook URL, because somebody who knew the old password may have made them (D52).
 */
export function RevokeAccess(input: Omit<ComponentProps<typeof Checkbox>, 'label' | 'hint'>) {
  return (
    <Checkbox
      label="Also revoke the API keys and the webhook URL"
      hint="Choose this if somebody else may have used your account."
      {...input}
    />
  )
}
