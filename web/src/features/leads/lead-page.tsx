import { PageHeader } from '../../ui/page-header.tsx'

export function LeadPage() {
  return <PageHeader title="Lead" />
}
