export function Brand() {
  return (
    <span className="flex items-center gap-2.5">
      <img src="/favicon.svg" alt="" width={28} height={28} />
      <span className="text-[0.9375rem] font-semibold tracking-tight">Partner Portal</span>
    </span>
  )
}
