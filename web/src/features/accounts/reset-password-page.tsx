import { PageHeader } from '../../ui/page-header.tsx'

export function ResetPasswordPage() {
  return <PageHeader title="Reset password" />
}
