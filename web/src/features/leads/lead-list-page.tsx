import { PageHeader } from '../../ui/page-header.tsx'

export function LeadListPage() {
  return <PageHeader title="Leads" />
}
