import { Search } from 'lucide-react'
import type { ReactNode, RefObject, SubmitEvent } from 'react'
import { Button } from './button.tsx'
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

/** A search box. Emptying it ends the search at once. Any other text waits for the button or Enter. */
export function ListSearch({ inputRef, label, placeholder, value, onSearch }: ListSearchProps) {
  useFollowing(value, inputRef)

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    onSearch(inputRef.current?.value.trim() ?? '')
  }

  return (
    <form role="search" aria-label={label} onSubmit={handleSubmit} className="flex grow basis-80 gap-2">
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
