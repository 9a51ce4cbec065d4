import { PageHeader } from '../../ui/page-header.tsx'

export function DealListPage() {
  return <PageHeader title="Deals" />
}
