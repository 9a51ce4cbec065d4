import { PageHeader } from '../../ui/page-header.tsx'

export function ForgotPasswordPage() {
  return <PageHeader title="Forgot password" />
}
