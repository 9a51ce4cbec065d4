import { PageHeader } from '../../ui/page-header.tsx'

export function SignUpPage() {
  return <PageHeader title="Create account" />
}
