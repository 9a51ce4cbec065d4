import { PageHeader } from '../../ui/page-header.tsx'

export function VerifyEmailPage() {
  return <PageHeader title="Verify email" />
}
