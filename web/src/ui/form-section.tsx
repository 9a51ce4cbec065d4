import { type ReactNode, useId } from 'react'

interface FormSectionProps {
  title: string
  description: string
  children: ReactNode
}

/**
 * A part of a long form, with two fields per line. Its explanation is beside the fields, or above them on narrower
 * screens.
 */
export function FormSection({ title, description, children }: FormSectionProps) {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className="grid grid-cols-1 gap-x-8 gap-y-3 xl:grid-cols-[15rem_minmax(0,1fr)]">
      <div className="xl:pt-5">
        <h2 id={titleId} className="text-[0.9375rem] font-semibold">
          {title}
        </h2>
        <p className="text-muted">{description}</p>
      </div>
      <div className="panel grid grid-cols-1 items-start gap-x-5 gap-y-4 p-5 sm:grid-cols-2">{children}</div>
    </section>
  )
}
