import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface Tab {
  value: string
  label: string
  icon?: ReactNode
  content: ReactNode
}

/** Tabs with panels. Arrow keys move between the tabs. A hidden panel keeps its typed text. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <Base.Root defaultValue={tabs[0]?.value}>
      <Base.List aria-label={label} className="mb-6 flex overflow-x-auto sm:gap-1 border-b border-line">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px flex h-10 items-center gap-2 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted max-sm:flex-auto max-sm:justify-center max-sm:px-1 max-sm:text-[0.8125rem] -outline-offset-2 hover:text-ink data-active:border-brand data-active:text-ink max-sm:[&_svg]:hidden [&_svg]:size-4"
          >
            {tab.icon}
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} keepMounted className="rounded-lg">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
