import { encode } from 'uqr'

/** White modules around the code. Cameras do not find the code without them. */
const QUIET_ZONE = 4

/**
 * Drawn here, so that nobody else gets its content. It is black on white even in the dark theme, because many cameras
 * need that.
 */
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
