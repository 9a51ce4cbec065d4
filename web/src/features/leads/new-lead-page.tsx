import { PageHeader } from '../../ui/page-header.tsx'

export function NewLeadPage() {
  return <PageHeader title="New Lead" />
}
