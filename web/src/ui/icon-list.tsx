import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export interface IconListItem {
  Icon: LucideIcon
  title: string
  text: ReactNode
}

/** Short explanations, each with an icon and a title. */
export function IconList({ items, className }: { items: readonly IconListItem[]; className?: string }) {
  return (
    <ul className={clsx('grid gap-4', className)}>
      {items.map(({ Icon, title, text }) => (
        <li key={title} className="flex gap-3">
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          <div className="min-w-0">
            <h3 className="font-medium">{title}</h3>
            <div className="mt-0.5 text-[0.8125rem] text-muted">{text}</div>
          </div>
        </li>
      ))}
    </ul>
  )
}
