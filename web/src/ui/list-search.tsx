import { ClockArrowDown, Rows2, Rows3, Search } from 'lucide-react'
import type { ReactNode, RefObject, SubmitEvent } from 'react'
import { Button } from './button.tsx'
import { chooseComfortableRows, useComfortableRows } from './density.ts'
import { TextField } from './field.tsx'
import { useFollowing } from './filter-field.tsx'

interface ListSearchProps {
  /** Receives the focus from a button elsewhere that clears search and filters. */
  inputRef: RefObject<HTMLInputElement | null>
  label: string
  placeholder: string
  /** The value from the address, or blank. */
  value: string
  onSearch: (text: string) => void
}

/** The line above a list, with its search box and its filter button. The filters unfold below it. */
export function ListBar({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap gap-2 print:hidden">{children}</div>
}

/** A switch between one and two lines in each row. Cards, on narrower screens, have no such choice. */
export function RowsToggle() {
  const isComfortable = useComfortableRows()
  const label = 'Two lines in each row'
  return (
    <Button
      variant="secondary"
      size="icon"
      className="max-wide:hidden"
      aria-label={label}
      title={label}
      aria-pressed={isComfortable}
      icon={isComfortable ? <Rows3 aria-hidden /> : <Rows2 aria-hidden />}
      onClick={() => chooseComfortableRows(!isComfortable)}
    />
  )
}

/** A switch that puts what moved last on top, among all rows (D81). */
export function LastChangeToggle({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const label = 'Last changed first'
  return (
    <Button
      variant="secondary"
      size="icon"
      className="max-wide:hidden"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      icon={<ClockArrowDown aria-hidden />}
      onClick={() => onChange(!isOn)}
    />
  )
}

/** A search box. Emptying it ends the search at once. Any other text waits for the button or Enter. */
export function ListSearch({ inputRef, label, placeholder, value, onSearch }: ListSearchProps) {
  useFollowing(value, inputRef)

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    onSearch(inputRef.current?.value.trim() ?? '')
  }

  return (
    <form role="search" aria-label={label} onSubmit={handleSubmit} className="flex min-w-0 grow basis-0 gap-2">
      <TextField
        ref={inputRef}
        label={label}
        labelHidden
        fieldClassName="flex-1"
        type="search"
        icon={<Search aria-hidden />}
        placeholder={placeholder}
        defaultValue={value}
        autoComplete="off"
        enterKeyHint="search"
        maxLength={200}
        onChange={(event) => event.target.value === '' && value !== '' && onSearch('')}
      />
      <Button type="submit" variant="secondary">
        Search
      </Button>
    </form>
  )
}
