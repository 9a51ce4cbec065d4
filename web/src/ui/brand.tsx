import { BRAND_NAME } from './brand-name.ts'

/**
 * The product's logo and name. The logo from public/favicon.svg is copied here, so that it is shown without a request.
 */
export function Brand() {
  return (
    <span className="flex items-center gap-2.5">
      <svg aria-hidden viewBox="0 0 32 32" className="size-7 shrink-0" fill="none">
        <rect width="32" height="32" rx="8" fill="#4652d6" />
        <path
          d="M10 23V9h7.2a4.9 4.9 0 0 1 0 9.8H13.6"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <circle cx="22" cy="22.4" r="1.9" fill="#a9b4ff" />
      </svg>
      <span className="text-[0.9375rem] font-semibold tracking-tight">{BRAND_NAME}</span>
    </span>
  )
}
