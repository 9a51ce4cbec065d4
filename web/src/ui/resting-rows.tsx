import { type ReactNode, type Ref, useState } from 'react'
import { useFollowedRows } from './followed-rows.ts'
import { NewRows } from './new-rows.tsx'

interface RestingRowsProps<Row extends { id: string }> {
  /** A list with a `ref` can take focus, so it needs a `label`. */
  ref?: Ref<HTMLUListElement>
  label?: string
  className?: string
  rows: readonly Row[]
  /** Set this when the person does something that moves rows. The rows then move at once. */
  isAsking?: boolean
  /** Gets each row with all rows that the list shows now. */
  children: (row: Row, rows: readonly Row[]) => ReactNode
}

/**
 * A short list on a card. New rows usually appear by themselves. While the pointer or the focus is on the list, a
 * button offers them instead, so that a click never hits a row other than the intended one.
 */
export function RestingRows<Row extends { id: string }>(props: RestingRowsProps<Row>) {
  const { ref, label, className, isAsking = false, children } = props
  const [isPointed, setIsPointed] = useState(false)
  const [isFocused, setIsFocused] = useState(false)
  const [asked, setAsked] = useState<{ isAsking: boolean; rows?: readonly Row[] }>({ isAsking: false })
  if (isAsking !== asked.isAsking) setAsked({ isAsking, rows: isAsking ? props.rows : asked.rows })
  // The person's action may end before the changed rows arrive. Until they arrive, rows may still move.
  const isOwed = props.rows === asked.rows
  const mayMove = isAsking || isOwed || !(isPointed || isFocused)
  const { rows, waiting, showAll } = useFollowedRows(props.rows, { scope: '', isAsking: mayMove, isFetching: false })
  return (
    <div
      onPointerEnter={() => setIsPointed(true)}
      onPointerLeave={() => setIsPointed(false)}
      onFocus={() => setIsFocused(true)}
      onBlur={() => setIsFocused(false)}
    >
      <NewRows className="top-5" waiting={waiting} onShow={showAll} />
      <ul ref={ref} tabIndex={ref ? -1 : undefined} aria-label={label} className={className}>
        {rows.map((row) => children(row, rows))}
      </ul>
    </div>
  )
}
