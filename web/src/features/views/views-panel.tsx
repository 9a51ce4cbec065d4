import { Popover } from '@base-ui/react/popover'
import { fold } from '@portal/contract/fold.ts'
import { VIEW_NAME_LENGTH_MAX } from '@portal/contract/limits.ts'
import type { ListView } from '@portal/contract/views.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { House, Pencil, Trash2, Users } from 'lucide-react'
import { type ReactNode, type RefObject, type SubmitEvent, useRef, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { NO_VIEW } from '../../app/search-params.ts'
import { Link } from '../../router/link.tsx'
import { useNavigate } from '../../router/router-view.tsx'
import { useMay } from '../../session/may.tsx'
import { AnchoredPanel } from '../../ui/anchored-panel.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { useFocusLeftBehind, useKeptFocus } from '../../ui/keep-focus.ts'
import { toast } from '../../ui/toast.ts'
import { addressOf, type ListViews } from './use-list-views.ts'
import { deleteView, refreshViews, saveView, updateView } from './views.queries.ts'

interface ViewsPanelProps {
  button: RefObject<HTMLButtonElement | null>
  open: boolean
  views: ListViews
  name: string
  onOpen: (open: boolean) => void
}

export function ViewsPanel({ button, open, views, name, onOpen }: ViewsPanelProps) {
  const close = () => onOpen(false)
  const hasDefault = views.views.some((view) => view.is_default)
  return (
    <AnchoredPanel
      anchor={button}
      open={open}
      onOpen={onOpen}
      className="max-h-[min(32rem,calc(100dvh-5rem))] w-[24rem]"
    >
      <Popover.Title className="sr-only">Views of {name}</Popover.Title>
      <ul aria-label={`Views of ${name}`} className="min-h-0 flex-1 overflow-y-auto p-1.5">
        <ViewRow isCurrent={views.current === undefined && views.query === ''}>
          <Link
            {...paths[views.list]}
            search={hasDefault ? { view: NO_VIEW } : {}}
            onClick={close}
            className={linkClass}
          >
            All {name}
          </Link>
        </ViewRow>
        {views.views.map((view) => (
          <NamedView key={view.id} view={view} name={name} isCurrent={view.id === views.current?.id} onFollow={close} />
        ))}
      </ul>
      <SaveForm key={`${views.current?.id}`} views={views} onSaved={close} />
    </AnchoredPanel>
  )
}

const linkClass = 'flex min-h-9 min-w-0 flex-1 items-center rounded-lg px-2.5 py-1.5 pointer-coarse:min-h-11'

interface ViewRowProps {
  isCurrent: boolean
  rowRef?: RefObject<HTMLLIElement | null>
  children: ReactNode
}

function ViewRow({ isCurrent, rowRef, children }: ViewRowProps) {
  return (
    <li
      ref={rowRef}
      className={clsx('flex items-center rounded-lg hover:bg-hover', isCurrent && 'bg-hover font-medium')}
      aria-current={isCurrent || undefined}
    >
      {children}
    </li>
  )
}

interface NamedViewProps {
  view: ListView
  name: string
  isCurrent: boolean
  onFollow: () => void
}

function NamedView({ view, name, isCurrent, onFollow }: NamedViewProps) {
  const queryClient = useQueryClient()
  const ref = useRef<HTMLLIElement>(null)
  useFocusLeftBehind(ref)
  const isOwner = useMay('owner')
  const change = useMutation({
    mutationFn: (body: Parameters<typeof updateView>[1]) => updateView(view.id, body),
    onError: toast.failure,
    onSettled: () => refreshViews(queryClient),
  })
  const remove = useMutation({
    mutationFn: () => deleteView(view.id),
    onSuccess: () => toast.success(`The view ${view.name} is removed`),
    onError: toast.failure,
    onSettled: () => refreshViews(queryClient),
  })
  const [isRenaming, setIsRenaming] = useState(false)
  const renameRef = useRef<HTMLButtonElement>(null)
  useKeptFocus(renameRef, `${isRenaming}`)
  const homeLabel = `Open ${name} with ${view.name}`
  const shareLabel = `Share ${view.name} with the team`
  if (isRenaming) {
    return (
      <ViewRow isCurrent={isCurrent} rowRef={ref}>
        <RenameForm view={view} onEnd={() => setIsRenaming(false)} />
      </ViewRow>
    )
  }
  return (
    <ViewRow isCurrent={isCurrent} rowRef={ref}>
      <Link {...paths[view.list]} search={addressOf(view)} onClick={onFollow} className={linkClass}>
        <span className="min-w-0">
          <span className="block truncate">{view.name}</span>
          {!view.is_mine && (
            <span className="block truncate text-xs font-normal text-muted">Shared by {view.owner_name}</span>
          )}
        </span>
      </Link>
      <Button
        variant="ghost"
        size="icon"
        className={view.is_default ? 'text-brand-ink!' : undefined}
        aria-label={homeLabel}
        title={homeLabel}
        aria-pressed={view.is_default}
        icon={<House aria-hidden />}
        onClick={() => change.mutate({ is_default: !view.is_default })}
      />
      {view.is_mine && isOwner && (
        <Button
          variant="ghost"
          size="icon"
          className={view.is_shared ? 'text-brand-ink!' : undefined}
          aria-label={shareLabel}
          title={shareLabel}
          aria-pressed={view.is_shared}
          icon={<Users aria-hidden />}
          onClick={() => change.mutate({ is_shared: !view.is_shared })}
        />
      )}
      {view.is_mine && (
        <Button
          ref={renameRef}
          variant="ghost"
          size="icon"
          aria-label={`Rename ${view.name}`}
          title={`Rename ${view.name}`}
          icon={<Pencil aria-hidden />}
          onClick={() => setIsRenaming(true)}
        />
      )}
      {view.is_mine && (
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Remove ${view.name}`}
          title={`Remove ${view.name}`}
          icon={<Trash2 aria-hidden />}
          busy={remove.isPending}
          onClick={() => remove.mutate()}
        />
      )}
    </ViewRow>
  )
}

function RenameForm({ view, onEnd }: { view: ListView; onEnd: () => void }) {
  const queryClient = useQueryClient()
  const [text, setText] = useState(view.name)
  const name = text.trim()
  const rename = useMutation({
    mutationFn: () => updateView(view.id, { name }),
    async onSuccess() {
      await refreshViews(queryClient)
      onEnd()
    },
    onError: toast.failure,
  })

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (name === view.name) onEnd()
    else if (name !== '' && !rename.isPending) rename.mutate()
  }

  return (
    <form onSubmit={handleSubmit} className="flex min-w-0 flex-1 items-center gap-1 p-1">
      <TextField
        label={`New name of ${view.name}`}
        labelHidden
        fieldClassName="flex-1"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just opened the form
        autoFocus
        autoComplete="off"
        maxLength={VIEW_NAME_LENGTH_MAX}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" variant="secondary" busy={rename.isPending} idle={name === ''}>
        Rename
      </Button>
      <Button variant="ghost" onClick={onEnd}>
        Cancel
      </Button>
    </form>
  )
}

/** Keeps what the list shows. The name of a view of one's own replaces that view. */
function SaveForm({ views, onSaved }: { views: ListViews; onSaved: () => void }) {
  const { list, current, isChanged, query } = views
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [text, setText] = useState(current?.is_mine && isChanged ? current.name : '')
  const name = text.trim()
  const isKnown = views.views.some((view) => view.is_mine && fold(view.name) === fold(name))
  const save = useMutation({
    mutationFn: () => saveView({ list, name, query }),
    async onSuccess(view) {
      await refreshViews(queryClient)
      toast.success(`The view ${view.name} is saved`)
      setText('')
      onSaved()
      void navigate({ ...paths[list], search: addressOf(view), replace: true, resetScroll: false })
    },
    onError: toast.failure,
  })

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (name !== '' && !save.isPending) save.mutate()
  }

  return (
    <form onSubmit={handleSubmit} className="flex items-end gap-2 border-t border-line p-3">
      <TextField
        label="Keep what the list shows as"
        fieldClassName="flex-1"
        placeholder="Name of the view"
        autoComplete="off"
        maxLength={VIEW_NAME_LENGTH_MAX}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" variant="secondary" busy={save.isPending} idle={name === ''}>
        {isKnown ? 'Replace' : 'Save'}
      </Button>
    </form>
  )
}
