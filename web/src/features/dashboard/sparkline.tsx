const WIDTH = 72
const HEIGHT = 20

/** Shows only the shape of the weekly trend. The figures are in the chart below the cards. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const top = Math.max(1, ...values)
  const points = values.map((value, position) => {
    const x = (position / Math.max(1, values.length - 1)) * WIDTH
    return `${round(x)},${round(HEIGHT - (value / top) * HEIGHT)}`
  })
  return (
    <svg aria-hidden viewBox={`-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`} className="h-6 w-19 max-w-full text-brand">
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} className="fill-current opacity-12" />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  )
}

function round(number: number): number {
  return Math.round(number * 10) / 10
}
