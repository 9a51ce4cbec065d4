import { type ReactNode, useId, useState } from 'react'
import { panelProps, TabList } from './tab-list.tsx'

export interface Tab {
  label: string
  icon?: ReactNode
  content: ReactNode
}

/** Tabs with panels. A hidden panel keeps its typed text. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const id = useId()
  const [chosen, setChosen] = useState(0)
  return (
    <div>
      <TabList
        id={id}
        label={label}
        tabs={tabs}
        chosen={chosen}
        onChoose={setChosen}
        className="mb-6 flex overflow-x-auto sm:gap-1 border-b border-line"
        tabClassName="-mb-px flex h-10 items-center gap-2 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted max-sm:flex-auto max-sm:justify-center max-sm:px-1 max-sm:text-[0.8125rem] -outline-offset-2 hover:text-ink aria-selected:border-brand aria-selected:text-ink max-sm:[&_svg]:hidden [&_svg]:size-4"
      />
      {tabs.map((tab, place) => (
        <div key={tab.label} {...panelProps(id, place)} hidden={place !== chosen}>
          {tab.content}
        </div>
      ))}
    </div>
  )
}
