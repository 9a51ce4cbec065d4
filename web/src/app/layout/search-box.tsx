import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef } from 'react'
import { useFollowing } from '../../ui/filter-field.tsx'
import { paths } from '../paths.ts'

/** Finds leads and deals from any page. Ctrl+K or ⌘K moves the focus here. */
export function SearchBox() {
  const navigate = useNavigate()
  const { q } = useSearch({ strict: false })
  const ref = useFollowing(q ?? '')
  useShortcut('k', () => ref.current?.select())

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
        aria-keyshortcuts="Control+K Meta+K"
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

const MODIFIER = /Mac|iP/.test(navigator.userAgent) ? '⌘' : 'Ctrl '

/** Runs a function when the key is pressed with Ctrl or ⌘. The key alone could be dictated or pressed by accident. */
function useShortcut(key: string, run: () => void) {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    function handleKey(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== key || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', handleKey)
    return () => document.removeEventListener('keydown', handleKey)
  }, [key])
}
