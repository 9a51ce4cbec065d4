import { BRAND_LOGO, BRAND_NAME } from './brand-name.ts'
import { useTheme } from './theme.ts'

/** The lender's logo and name, or the product's. */
export function Brand() {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {BRAND_LOGO ? <LendersLogo logo={BRAND_LOGO} /> : <OwnMark />}
      {!BRAND_LOGO?.isWide && <span className="text-[0.9375rem] font-semibold tracking-tight">{BRAND_NAME}</span>}
    </span>
  )
}

function LendersLogo({ logo }: { logo: NonNullable<typeof BRAND_LOGO> }) {
  const src = logo[useTheme()]
  return <img src={src} alt={logo.isWide ? BRAND_NAME : ''} className="h-7 max-w-44 shrink-0 object-contain" />
}

/** The mark from public/favicon.svg is copied here, so that it is shown without a request. */
function OwnMark() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-7 shrink-0" fill="none">
      <rect width="32" height="32" rx="8" className="fill-(--mark)" />
      <path
        d="M10 23V9h7.2a4.9 4.9 0 0 1 0 9.8H13.6"
        className="stroke-(--on-brand)"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="22" cy="22.4" r="1.9" className="fill-(--mark-dot)" />
    </svg>
  )
}
