import { PageHeader } from '../../ui/page-header.tsx'

export function DealPage() {
  return <PageHeader title="Deal" />
}
