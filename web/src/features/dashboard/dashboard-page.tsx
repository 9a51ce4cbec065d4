import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PipelineSection } from './pipeline-section.tsx'
import { RecentActivity } from './recent-activity.tsx'
import { RecentDeals, RecentLeads } from './recent-records.tsx'
import { StatCards } from './stat-cards.tsx'

export function DashboardPage() {
  return (
    <>
      <PageHeader
        title="Dashboard"
        description="Your referrals at a glance."
        actions={
          <Link {...paths.newLead} className={buttonClass('primary')}>
            <Plus aria-hidden />
            New Lead
          </Link>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        <StatCards />
        <PipelineSection />
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
          <RecentLeads />
          <RecentDeals />
        </div>
        <RecentActivity />
      </div>
    </>
  )
}
