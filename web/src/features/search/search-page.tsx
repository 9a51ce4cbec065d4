import { PageHeader } from '../../ui/page-header.tsx'

export function SearchPage() {
  return <PageHeader title="Search" />
}
