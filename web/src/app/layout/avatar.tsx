/** The initial of a business name. Screen readers skip it, because the name itself is nearby. */
export function Avatar({ name }: { name: string | undefined }) {
  // This splits by character, not by code unit, because a name may begin with an emoji.
  const [initial = ''] = name?.trim() ?? ''
  return (
    <span
      aria-hidden
      className="flex size-8 shrink-0 items-center justify-center rounded-lg bg-brand-tint text-[0.8125rem] font-semibold text-brand-ink"
    >
      {initial.toUpperCase()}
    </span>
  )
}
