import { useId, useState } from 'react'
import { Button } from './button.tsx'
import { type Description, DescriptionList } from './description-list.tsx'

/** Shows the fields that have a value. The empty fields appear after a click, and in print. */
export function FoldingDescriptions({ items }: { items: readonly Description[] }) {
  const [isOpen, setIsOpen] = useState(false)
  const listId = useId()
  const empty = items.filter(isEmpty).length
  return (
    <>
      <DescriptionList id={listId} items={items.map((item) => ({ ...item, isFolded: !isOpen && isEmpty(item) }))} />
      {empty > 0 && (
        <Button
          variant="ghost"
          size="small"
          className="mt-3 -mb-2 -ml-3"
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? 'Hide' : 'Show'} {empty} empty {empty === 1 ? 'field' : 'fields'}
        </Button>
      )}
    </>
  )
}

function isEmpty({ value }: Description): boolean {
  return !value || value === '—'
}
