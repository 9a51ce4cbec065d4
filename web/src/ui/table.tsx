import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { Button } from './button.tsx'
import { changeMark } from './change-mark.ts'
import { useComfortableRows } from './density.ts'
import { SelectField } from './field.tsx'
import type { Sort } from './sort.ts'

type CardPlace = 'title' | 'value' | 'date' | 'state' | 'mark' | 'kind' | 'code' | 'wide' | 'corner'

export interface TableColumn<Row, Key extends string = string> {
  key: Key
  header: string
  cell: (row: Row) => ReactNode
  sortable?: boolean
  align?: 'left' | 'right'
  /** The header is for screen readers only, for example above a column of buttons. */
  headerHidden?: boolean
  /** Where this column is on the card that a row becomes on narrower screens. */
  card: CardPlace
  className?: string
}

interface SortOnly<Key extends string> {
  key: Key
  header: string
}

interface DataTableProps<Row, Key extends string> {
  /** Names the table for screen readers. */
  label: string
  columns: readonly TableColumn<Row, Key>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  sort?: Sort<Key>
  /** Orders that have no column of their own. */
  sortsOnly?: readonly SortOnly<Key>[]
  onSort?: (column: Key) => void
  /** Set this while the rows of another page or filter are being fetched. The old rows stay visible and are dimmed. */
  stale?: boolean
  /** For each row's key, how many times the row changed while it was shown. The last change stays marked for a while. */
  changes?: ReadonlyMap<string, number>
  /** Called on a click in the row, except on a link or button. Keyboard users have the row's own link. */
  onRowClick?: (row: Row) => void
}

/**
 * A table on wide screens, and a list of cards on narrower ones. Both use the same elements. The roles are written out,
 * because elements with another `display` lose their roles.
 */
export function DataTable<Row, Key extends string>(props: DataTableProps<Row, Key>) {
  const { label, columns, rows, rowKey, sort, sortsOnly = [], onSort, stale, changes, onRowClick } = props
  const isComfortable = useComfortableRows()
  return (
    <div className="relative overflow-x-auto">
      {sort && onSort && <SortBar columns={columns} sortsOnly={sortsOnly} sort={sort} onSort={onSort} />}
      <table
        role="table"
        aria-label={label}
        aria-busy={stale || undefined}
        data-comfortable={isComfortable || undefined}
        className="w-full border-collapse text-[0.8125rem] tabular-nums max-wide:block max-sm:leading-4"
      >
        <thead role="rowgroup" className="max-wide:hidden">
          <tr role="row" className="border-b border-line">
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className={clsx('max-wide:block', stale && 'opacity-60 transition-opacity')}>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              role="row"
              data-changed={changeMark(changes?.get(rowKey(row)))}
              onClick={onRowClick ? (event) => handleClick(event, () => onRowClick(row)) : undefined}
              onAuxClick={onRowClick ? handleAuxClick : undefined}
              className={clsx(
                'border-b border-line transition-colors last:border-0 hover:bg-hover/60',
                CARD,
                columns.some(({ card }) => card === 'corner') && 'max-wide:pr-12',
                onRowClick && 'cursor-pointer',
              )}
            >
              {columns.map((column) => (
                <td
                  key={column.key}
                  role="cell"
                  data-label={column.headerHidden || column.card === 'title' ? undefined : column.header}
                  className={clsx(
                    'px-1.5 py-2.5 align-middle first:pl-5 one-line:h-11 one-line:py-0 max-wide:min-w-0 max-wide:p-0!',
                    column.card === 'corner' ? 'last:pr-3' : 'last:pr-5',
                    // On a card the headings are for screen readers only.
                    'max-wide:data-label:before:sr-only max-wide:data-label:before:content-[attr(data-label)]',
                    CARD_PLACES[column.card],
                    column.align === 'right' && 'text-right',
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface SortBarProps<Row, Key extends string> {
  columns: readonly TableColumn<Row, Key>[]
  sortsOnly: readonly SortOnly<Key>[]
  sort: Sort<Key>
  onSort: (column: Key) => void
}

/** Replaces the table's headers for sorting, because cards have no headers. */
function SortBar<Row, Key extends string>({ columns, sortsOnly, sort, onSort }: SortBarProps<Row, Key>) {
  const sortable = [...columns.filter((column) => column.sortable), ...sortsOnly]
  const isDescending = sort.direction === 'descending'
  return (
    <div className="flex items-center gap-2 border-b border-line px-4 py-1 wide:hidden">
      <SelectField
        label="Sort by"
        fieldClassName="grow flex-row! items-center gap-3! *:first:shrink-0 sm:grow-0"
        options={sortable.map(({ key, header }) => ({ value: key, label: header }))}
        value={sort.column}
        onChange={(event) => {
          const chosen = sortable.find(({ key }) => key === event.target.value)
          if (chosen) onSort(chosen.key)
        }}
      />
      <Button
        variant="secondary"
        size="icon"
        aria-label={isDescending ? 'Sorted descending. Sort ascending.' : 'Sorted ascending. Sort descending.'}
        icon={isDescending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />}
        onClick={() => onSort(sort.column)}
      />
    </div>
  )
}

/** A card has two columns on a phone and four on wider screens: name, state, type, and amount above date. */
const CARD =
  'max-wide:relative max-wide:grid max-sm:nth-[n+8]:later-[5.875rem] sm:max-wide:nth-[n+10]:later-[3.8125rem] max-wide:grid-cols-[minmax(0,1fr)_auto] max-wide:grid-rows-[auto_1fr] max-wide:items-start max-wide:gap-x-4 max-wide:px-4 max-wide:py-2.5 sm:max-wide:grid-cols-[minmax(0,1.3fr)_minmax(10rem,1fr)_minmax(0,1fr)_7.5rem]'

const CARD_PLACES: Record<CardPlace, string> = {
  title: 'max-wide:row-span-2 sm:max-wide:row-span-3',
  value: 'max-wide:col-start-2 max-wide:row-start-1 max-wide:text-right sm:max-wide:col-start-4',
  date: 'max-wide:col-start-2 max-wide:row-start-2 max-wide:text-right max-wide:text-muted sm:max-wide:col-start-4',
  state:
    'max-wide:col-start-1 max-wide:row-start-3 max-sm:mt-0.5 max-sm:pr-9! max-sm:col-span-full sm:max-wide:col-start-2 sm:max-wide:row-span-2 sm:max-wide:row-start-1',
  mark: 'max-wide:col-start-2 max-wide:row-start-3 max-wide:text-right max-sm:mt-0.5 sm:max-wide:col-start-4',
  kind: 'max-wide:col-start-1 max-wide:row-start-4 max-sm:mt-0.5 sm:max-wide:col-start-3 sm:max-wide:row-start-1',
  code: 'max-wide:col-start-2 max-wide:row-start-4 max-wide:text-right max-sm:mt-0.5 sm:max-wide:col-start-2 sm:max-wide:row-start-3 sm:max-wide:text-left',
  wide: 'max-wide:row-start-5 max-wide:text-muted max-sm:col-span-full max-sm:text-xs sm:max-wide:col-start-3 sm:max-wide:row-span-2 sm:max-wide:row-start-2',
  corner: 'max-wide:absolute max-wide:inset-y-0 max-wide:right-2 max-wide:flex max-wide:items-center',
}

interface HeaderCellProps<Row, Key extends string> {
  column: TableColumn<Row, Key>
  sort: Sort<Key> | undefined
  onSort: ((column: Key) => void) | undefined
}

function HeaderCell<Row, Key extends string>({ column, sort, onSort }: HeaderCellProps<Row, Key>) {
  const direction = sort?.column === column.key ? sort.direction : undefined
  const right = column.align === 'right'
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={column.sortable && onSort ? (direction ?? 'none') : undefined}
      className={clsx(
        'h-9 px-1.5 text-xs font-medium whitespace-nowrap text-muted first:pl-5 last:pr-5',
        right ? 'text-right' : 'text-left',
      )}
    >
      {column.sortable && onSort ? (
        <button
          type="button"
          onClick={() => onSort(column.key)}
          className={clsx(
            'group relative -mx-1.5 inline-flex h-7 items-center rounded-md px-1.5 hover:text-ink',
            direction && 'text-ink',
          )}
        >
          {column.header}
          {/* The mark is in the gap between the columns, so that it takes no room from them. */}
          <span className={clsx('absolute', right ? '-left-2.5' : '-right-2.5')}>
            <SortMark direction={direction} />
          </span>
        </button>
      ) : (
        <span className={column.headerHidden ? 'sr-only' : undefined}>{column.header}</span>
      )}
    </th>
  )
}

function SortMark({ direction }: { direction: Sort['direction'] | undefined }) {
  if (direction === 'ascending') return <ArrowUp aria-hidden className="size-3.5" />
  if (direction === 'descending') return <ArrowDown aria-hidden className="size-3.5" />
  return (
    <ChevronsUpDown
      aria-hidden
      className="size-3.5 opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60 pointer-coarse:opacity-60"
    />
  )
}

function handleClick(event: MouseEvent, open: () => void) {
  if (!isOnRow(event)) return
  if (event.ctrlKey || event.metaKey || event.shiftKey) passToLink(event)
  else open()
}

/** A click with the middle button opens a new tab. */
function handleAuxClick(event: MouseEvent) {
  if (event.button === 1 && isOnRow(event)) passToLink(event, { ctrlKey: true, metaKey: true })
}

/** Passes the click to the row's own link, so that the browser opens a tab or a window as it does for any link. */
function passToLink({ currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent, more: MouseEventInit = {}) {
  const link = currentTarget.querySelector('a[href]')
  link?.dispatchEvent(
    new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey, ...more }),
  )
}

/**
 * Whether a click counts as a click on the row. A click on a link or button inside the row belongs to that element, and
 * selecting text is not a click. The second half of a double click does not count either: after a double click on Next,
 * it would open the row that moves under the pointer.
 */
function isOnRow({ target, detail }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest('a, button, input, label') !== null
  return !isControl && detail < 2 && String(window.getSelection() ?? '') === ''
}
