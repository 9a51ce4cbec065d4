import { SearchX } from 'lucide-react'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'

interface NothingFoundProps {
  title: string
  text: string
  /** The words of the button. */
  action: string
  onClear: () => void
}

/** Stands in place of a list whose filters leave nothing. */
export function NothingFound({ title, text, action, onClear }: NothingFoundProps) {
  return (
    <EmptyState
      icon={<SearchX />}
      title={title}
      text={text}
      action={
        <Button variant="secondary" onClick={onClear}>
          {action}
        </Button>
      }
    />
  )
}
