import { clsx } from 'clsx'
import { Marked } from './marked.tsx'

interface NamedTextsProps {
  label: string
  nameHeader: string
  textHeader?: string
  items: readonly (readonly [name: string, text: string])[]
  /** Set this if the names are words for people, not for machines. */
  plain?: boolean
}

/** A table of names and their meanings. On a phone the meaning is below the name. */
export function NamedTexts({ label, nameHeader, textHeader = 'Meaning', items, plain = false }: NamedTextsProps) {
  return (
    <div className="frame">
      <table role="table" aria-label={label} className="w-full border-collapse text-left max-sm:block">
        <thead role="rowgroup" className="max-sm:hidden">
          <tr role="row" className="border-b border-line text-xs text-muted">
            <th role="columnheader" scope="col" className="h-10 w-64 px-5 font-medium">
              {nameHeader}
            </th>
            <th role="columnheader" scope="col" className="h-10 px-5 font-medium">
              {textHeader}
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-sm:block">
          {items.map(([name, text]) => (
            <tr key={name} role="row" className="border-b border-line last:border-0 max-sm:block max-sm:py-3">
              <th
                role="rowheader"
                scope="row"
                className={clsx(
                  'px-5 align-baseline font-medium break-words max-sm:block sm:py-2.5',
                  !plain && 'font-mono text-xs',
                )}
              >
                {name}
              </th>
              <td role="cell" className="px-5 align-baseline text-muted max-sm:mt-0.5 max-sm:block sm:py-2.5">
                <Marked text={text} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
