import { MODIFIER } from '../../format/modifier-key.ts'
import { useSeesPayments } from '../../session/sees-payments.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ENTRIES, isOpenTo } from './entries.ts'

const KEYS: [string[], string][] = [
  [[`${MODIFIER}K`], 'Go to a page, do something, find a lead or deal'],
  [['/'], 'Search'],
  [['N'], 'New lead'],
  [['J'], 'Next row of a list'],
  [['K'], 'Former row of a list'],
  [['Enter'], 'Open the row'],
  [['C'], 'Write a note'],
  [['U'], 'Back'],
]
const LAST: [string[], string] = [['?'], 'These keys']

/** Lists the keys (D85). */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const seesPayments = useSeesPayments()
  const pages = ENTRIES.filter((entry) => isOpenTo(entry, seesPayments)).map(({ key, label }): [string[], string] => [
    ['G', key.toUpperCase()],
    label,
  ])
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keys"
      description="Single keys do nothing while you type. Profile Settings can turn them off."
    >
      <dl className="grid max-h-[60dvh] grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 overflow-y-auto">
        {[...KEYS, ...pages, LAST].map(([keys, what]) => (
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
