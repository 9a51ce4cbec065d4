import { type Role, reaches } from '@portal/contract/roles.ts'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useNavigate, useRouter } from '../../router/router-view.tsx'
import { readSeesPayments } from '../../session/sees-payments.ts'
import { useSingleKeys } from '../../ui/single-keys.ts'
import { paths } from '../paths.ts'
import { ENTRIES, isOpenTo } from './entries.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }))

/** The second key of `G D` has to come within this time. */
const SECOND_KEY_MS = 1_500

/**
 * The keys of every page (D85): Ctrl+K or ⌘K opens the palette, and single keys go to a page, to the next row, to the
 * search. Single keys do nothing while the person types or a dialog is open, and can be turned off on /profile.
 */
export function Keys({ role }: { role: Role }) {
  const [open, setOpen] = useState<'palette' | 'help'>()
  const [early, setEarly] = useState('')
  const navigate = useNavigate()
  const { back } = useRouter()
  const areOn = useSingleKeys()
  const latest = useRef<(event: KeyboardEvent) => void>(undefined)
  const goAt = useRef(Number.NEGATIVE_INFINITY)

  function handleKey(event: KeyboardEvent) {
    if (event.defaultPrevented || event.isComposing || event.altKey) return
    const key = event.key.toLowerCase()
    if (event.ctrlKey || event.metaKey) {
      if (key === 'k' && !event.shiftKey && !isDialogOpen()) {
        act(event, () => {
          setEarly('')
          setOpen('palette')
        })
      }
      return
    }
    if (open === 'palette' && !isDialogOpen()) {
      // The code of the palette loads. What is typed meanwhile waits for its field.
      if (event.key === 'Escape') setOpen(undefined)
      else if (event.key === 'Enter') event.preventDefault()
      else if (event.key.length === 1) act(event, () => setEarly((typed) => typed + event.key))
      return
    }
    if (!areOn || isTyping(event.target) || isDialogOpen()) return
    const isSecond = performance.now() - goAt.current < SECOND_KEY_MS
    goAt.current = Number.NEGATIVE_INFINITY
    const entry = ENTRIES.find((one) => one.key === key && isOpenTo(one, readSeesPayments() === true))
    if (isSecond && entry) {
      if (reaches(role, entry.least)) act(event, () => void navigate(entry.link))
      return
    }
    if (key === 'g') goAt.current = performance.now()
    else if (key === '/') act(event, moveToSearch)
    else if (key === '?') act(event, () => setOpen('help'))
    else if (key === 'n' && reaches(role, 'member')) act(event, () => void navigate(paths.newLead))
    else if (key === 'j') act(event, () => moveToRow(1))
    else if (key === 'k') act(event, () => moveToRow(-1))
    else if (key === 'c') act(event, () => document.querySelector<HTMLElement>('main textarea')?.focus())
    else if (key === 'u') act(event, back)
  }

  useEffect(() => {
    latest.current = handleKey
  })
  useEffect(() => {
    const handle = (event: KeyboardEvent) => latest.current?.(event)
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [])

  return (
    <Suspense>
      {open === 'palette' && (
        <Palette role={role} early={early} onHelp={() => setOpen('help')} onClose={() => setOpen(undefined)} />
      )}
      {open === 'help' && <KeyHelp onClose={() => setOpen(undefined)} />}
    </Suspense>
  )
}

function act(event: KeyboardEvent, work: () => void) {
  event.preventDefault()
  work()
}

function moveToSearch() {
  const input = document.querySelector<HTMLInputElement>('input[name="q"]')
  input?.focus()
  input?.select()
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

function isTyping(target: EventTarget | null): boolean {
  const TYPED = 'input, textarea, select, [contenteditable], [role="listbox"], [role="menu"], [role="combobox"]'
  return target instanceof Element && target.closest(TYPED) !== null
}

/** The row that `J` and `K` left last. Back on the list, they go on from there. */
let lastRow: string | undefined

/** Moves the focus to the link of the next or former row of the page's table. */
function moveToRow(step: 1 | -1) {
  const rows = [...document.querySelectorAll('main table tbody tr')]
  const links = rows.flatMap((row) => row.querySelector<HTMLAnchorElement>('a[href]') ?? [])
  const focused = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
  const left = links.findIndex((link) => link.getAttribute('href') === lastRow)
  const from = focused === -1 ? left : focused
  const link = links[from === -1 ? 0 : Math.min(Math.max(from + step, 0), links.length - 1)]
  if (!link) return
  lastRow = link.getAttribute('href') ?? undefined
  link.focus()
  link.scrollIntoView({ block: 'nearest' })
}
