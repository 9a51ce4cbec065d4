import { Autocomplete } from '@base-ui/react/autocomplete'
import { fold } from '@portal/contract/fold.ts'
import { parseLoid } from '@portal/contract/loid.ts'
import { type Role, reaches } from '@portal/contract/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { Bookmark, Handshake, Keyboard, type LucideIcon, Plus, Search, Users } from 'lucide-react'
import { useEffect, useState } from 'react'
import { searchQuery } from '../../features/search/search.queries.ts'
import { addressOf } from '../../features/views/use-list-views.ts'
import { viewsQuery } from '../../features/views/views.queries.ts'
import { dealTitle, leadTitle } from '../../format/record-title.ts'
import { useNavigate } from '../../router/router-view.tsx'
import { readSeesPayments } from '../../session/sees-payments.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { isEnter } from '../../ui/is-enter.ts'
import { paths } from '../paths.ts'
import { ENTRIES, isOpenTo } from './entries.ts'

/** A search waits for the next letter only this long, because its answer should be there 100 ms after the last one (D85). */
const TYPING_MS = 50
const FOUND_MAX = 6

interface PaletteItem {
  id: string
  label: string
  detail?: string | undefined
  Icon: LucideIcon
  run: () => void
}

interface PaletteProps {
  role: Role
  /** What was typed before the palette appeared. */
  early: string
  onHelp: () => void
  onClose: () => void
}

/**
 * Pages, actions, named views, and leads and deals by name or LOID, for the keyboard (D85). The first line is always the chosen one,
 * until the arrow keys choose another; Enter opens what is announced. Shown are only the records of an answer to the
 * present text, so that a late answer replaces nothing.
 */
export function Palette({ role, early, onHelp, onClose }: PaletteProps) {
  const navigate = useNavigate()
  const [text, setText] = useState(early)
  const words = text.trim()
  const asked = useSettled(words)
  const { data, isFetching, isPlaceholderData } = useQuery(searchQuery(asked, FOUND_MAX))
  const { data: views } = useQuery(viewsQuery())
  const found = asked === words && words !== '' && !isPlaceholderData ? data : undefined

  const items = [
    ...(parseLoid(words) ? records() : []),
    ...commands(),
    ...(parseLoid(words) ? [] : records()),
    ...all(),
  ]

  function records(): PaletteItem[] {
    const leads = (found?.leads ?? []).map((lead) => ({
      id: `lead ${lead.loid}`,
      label: leadTitle(lead),
      detail: `Lead · ${lead.lead_status} · ${lead.loid}`,
      Icon: Users,
      run: () => void navigate(paths.lead(lead.loid)),
    }))
    const deals = (found?.deals ?? []).map((deal) => ({
      id: `deal ${deal.loid}`,
      label: dealTitle(deal),
      detail: `Deal · ${deal.stage} · ${deal.loid}`,
      Icon: Handshake,
      run: () => void navigate(paths.deal(deal.loid)),
    }))
    return [...leads, ...deals]
  }

  function commands(): PaletteItem[] {
    const pages = ENTRIES.filter(
      (entry) => reaches(role, entry.least) && isOpenTo(entry, readSeesPayments() === true),
    ).map(({ label, link, Icon, key }) => ({
      id: label,
      label,
      detail: `G ${key.toUpperCase()}`,
      Icon,
      run: () => void navigate(link),
    }))
    const newLead = { id: 'new', label: 'New lead', detail: 'N', Icon: Plus, run: () => void navigate(paths.newLead) }
    const keys = { id: 'keys', label: 'Show all keys', detail: '?', Icon: Keyboard, run: onHelp }
    const named = (views?.views ?? []).map((view) => ({
      id: view.id,
      label: view.name,
      detail: `View of ${view.list}`,
      Icon: Bookmark,
      run: () => void navigate({ ...paths[view.list], search: addressOf(view) }),
    }))
    const known = [...(reaches(role, 'member') ? [newLead] : []), ...pages, ...named, keys]
    return known.filter(({ label }) => fold(label).includes(fold(words)))
  }

  function all(): PaletteItem[] {
    if (words === '') return []
    const run = () => void navigate(paths.search(words))
    return [{ id: 'all', label: `Search for “${words}”`, Icon: Search, run }]
  }

  function choose({ id, run }: PaletteItem) {
    if (id !== 'keys') onClose()
    run()
  }

  return (
    <Dialog open onClose={onClose} title="Go to or find" className="mt-[10dvh]! w-[min(36rem,calc(100vw-2rem))]!">
      <Autocomplete.Root
        inline
        open
        mode="none"
        autoHighlight="always"
        items={items}
        value={text}
        onValueChange={setText}
        itemToStringValue={(item: PaletteItem) => item.label}
      >
        <Autocomplete.Input
          aria-label="A page, an action, a business, a person or a LOID"
          placeholder="A page, an action, a business, a person or a LOID"
          maxLength={200}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !isEnter(event)) event.preventBaseUIHandler()
          }}
          className="control"
        />
        <p role="status" className="mt-1 h-5 text-xs text-muted">
          {words !== '' && (isFetching || asked !== words) ? 'Searching …' : ''}
        </p>
        <Autocomplete.List className="max-h-[50dvh] overflow-y-auto">
          {(item: PaletteItem) => (
            <Autocomplete.Item
              key={item.id}
              value={item}
              onClick={() => choose(item)}
              className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 data-highlighted:bg-brand-tint pointer-coarse:min-h-11"
            >
              <item.Icon aria-hidden className="size-4.5 shrink-0 text-muted" strokeWidth={1.75} />
              <span className="min-w-0 flex-1 truncate">{item.label}</span>
              <span className="shrink-0 text-xs text-muted max-sm:hidden">{item.detail}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}

/** The text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
