import { encode } from 'uqr'

/** Modules of white around the code; cameras do not find it without them. */
const QUIET_ZONE = 4

/** Drawn here, so that its content goes to nobody else. Black on white in the dark theme, too: many cameras need it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-lg border border-line bg-white"
    >
      <path d={path} className="fill-[#000]" />
    </svg>
  )
}
