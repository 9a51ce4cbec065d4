import { Search } from 'lucide-react'
import type { SubmitEvent } from 'react'
import { MODIFIER } from '../../format/modifier-key.ts'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { useFollowing } from '../../ui/filter-field.tsx'
import { paths } from '../paths.ts'
import { searchPageSearch } from '../search-params.ts'

/** Finds leads and deals from any page. `/` moves the focus here, and Ctrl+K or ⌘K opens the palette (D85). */
export function SearchBox() {
  const navigate = useNavigate()
  const { q } = useSearch(searchPageSearch)
  const ref = useFollowing(q ?? '')

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    const query = ref.current?.value.trim()
    if (query) void navigate(paths.search(query))
  }

  return (
    <form role="search" onSubmit={handleSubmit} className="relative w-full max-w-md min-w-0">
      <Search aria-hidden className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-faint" />
      <input
        ref={ref}
        type="search"
        name="q"
        defaultValue={q ?? ''}
        aria-label="Search leads and deals"
        aria-keyshortcuts="/"
        placeholder="Search leads and deals..."
        autoComplete="off"
        enterKeyHint="search"
        maxLength={200}
        className="control pl-9 text-ellipsis sm:pr-14"
      />
      <kbd
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2 hidden h-5 -translate-y-1/2 items-center justify-center rounded border border-line bg-sunken px-1.5 font-sans text-2xs text-muted sm:flex"
      >
        {MODIFIER}K
      </kbd>
    </form>
  )
}
