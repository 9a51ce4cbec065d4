import type { Import } from '@portal/contract/imports.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { formatCount } from '../../format/count.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/card.tsx'

/** The imports that the partner's people have submitted. */
export function PastImports({ imports, onShow }: { imports: readonly Import[]; onShow: (id: string) => void }) {
  if (imports.length === 0) return null
  return (
    <Section title="Earlier imports" padded={false}>
      <ul className="divide-y divide-line">
        {imports.map(({ id, name, by, submitted_at, state, submitted, rows, undo }) => (
          <li key={id} className="flex items-center justify-between gap-3 px-4 py-3 sm:px-5">
            <div className="min-w-0">
              <p className="truncate font-medium">{name ?? 'A file whose rows were removed'}</p>
              <p className="text-[0.8125rem] text-muted">
                {formatDateTime(submitted_at)}
                {by && ` by ${by}`}: {formatNumber(submitted)} of {formatCount(rows, 'row')}
                {state === 'submitting' ? ' so far' : ''}
                {undo && `, ${formatNumber(undo.withdrawn)} withdrawn again`}
              </p>
            </div>
            <Button
              variant="secondary"
              size="small"
              aria-label={`Show the import of ${formatDateTime(submitted_at)}`}
              onClick={() => onShow(id)}
            >
              Show
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  )
}
