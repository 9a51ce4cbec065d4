import { MODIFIER } from '../../format/modifier-key.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ENTRIES } from './entries.ts'

const KEYS: [string[], string][] = [
  [[`${MODIFIER}K`], 'Go to a page, do something, find a lead or deal'],
  [['/'], 'Search'],
  [['N'], 'New lead'],
  [['J'], 'Next row of a list'],
  [['K'], 'Former row of a list'],
  [['Enter'], 'Open the row'],
  [['C'], 'Write a note'],
  [['U'], 'Back'],
  ...ENTRIES.map(({ key, label }): [string[], string] => [['G', key.toUpperCase()], label]),
  [['?'], 'These keys'],
]

/** Lists the keys (D85). */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keys"
      description="Single keys do nothing while you type. Profile Settings can turn them off."
    >
      <dl className="grid max-h-[60dvh] grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 overflow-y-auto">
        {KEYS.map(([keys, what]) => (
          <div key={what} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="rounded border border-line bg-sunken px-1.5 font-sans text-xs">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
