import type { ComponentProps } from 'react'
import { Checkbox } from '../../ui/field.tsx'

/**
 * The checkbox beside a new password. If it is checked, the server also revokes the API key and webhook URL that
 * somebody may have made with the old password (D52).
 */
export function RevokeAccess(input: Omit<ComponentProps<typeof Checkbox>, 'label' | 'hint'>) {
  return (
    <Checkbox
      label="Also revoke the API key and the webhook URL"
      hint="Choose this if somebody else may have used your account."
      {...input}
    />
  )
}
