import { encode } from 'uqr'

/** The width of the white border, in modules. Cameras do not find a code without it. */
const QUIET_ZONE = 4

/**
 * The code is drawn in the browser, so that no other service learns its content. It is black on white even in the dark
 * theme, because many cameras cannot read a light code on a dark background.
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
      className="size-48 rounded-lg border border-line bg-white forced-color-adjust-none"
    >
      <path d={path} className="fill-[#000]" />
    </svg>
  )
}
