import type { KeyboardEvent, ReactNode } from 'react'

interface TabListProps {
  /** The id from which those of the tabs and of the open panel are made. */
  id: string
  label: string
  tabs: readonly { label: string; icon?: ReactNode }[]
  /** The place of the open tab. */
  chosen: number
  onChoose: (place: number) => void
  className: string
  tabClassName: string
}

/** A row of tabs. Arrow keys, Home and End move between them, and a click or Enter opens one. */
export function TabList({ id, label, tabs, chosen, onChoose, className, tabClassName }: TabListProps) {
  return (
    <div role="tablist" aria-label={label} className={className}>
      {tabs.map((tab, place) => (
        <button
          key={tab.label}
          type="button"
          role="tab"
          id={tabId(id, place)}
          aria-selected={place === chosen}
          aria-controls={place === chosen ? panelId(id, place) : undefined}
          tabIndex={place === chosen ? 0 : -1}
          onClick={() => onChoose(place)}
          onKeyDown={handleMove}
          className={tabClassName}
        >
          {tab.icon}
          {tab.label}
        </button>
      ))}
    </div>
  )
}

/** The attributes of the panel that belongs to a tab of the `TabList` with this id. */
export function panelProps(id: string, place: number) {
  return { role: 'tabpanel', id: panelId(id, place), 'aria-labelledby': tabId(id, place) }
}

function tabId(id: string, place: number): string {
  return `${id}-tab-${place}`
}

function panelId(id: string, place: number): string {
  return `${id}-panel-${place}`
}

function handleMove(event: KeyboardEvent<HTMLElement>) {
  const { currentTarget } = event
  const tabs = [...(currentTarget.parentElement?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])]
  const place = tabs.indexOf(currentTarget)
  const target = placeAfter(event.key, place, tabs.length)
  if (target === undefined) return
  event.preventDefault()
  tabs.at(target)?.focus()
}

/** Behind the last tab comes the first one. A place of -1 is the last one. */
function placeAfter(key: string, place: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (place + 1) % count
  if (key === 'ArrowLeft') return place - 1
  if (key === 'Home') return 0
  return key === 'End' ? -1 : undefined
}
