import type { Measured } from './load.ts'

/** A goal is met if the median of the rounds meets it, and missed only if every round misses it. */
export interface Goal {
  text: string
  isMet(value: number): boolean
}

export const atLeast = (least: number): Goal => ({ text: `≥ ${least}`, isMet: (value) => value >= least })
export const atMost = (most: number): Goal => ({ text: `≤ ${most}`, isMet: (value) => value <= most })

export function show(name: string, rounds: Measured[]): void {
  if (rounds.length === 0) return
  const perSecond = column(rounds, 'perSecond')
  const cpuMs = median(column(rounds, 'cpuMs'))
  const cells = [
    `  ${name}`.padEnd(28),
    median(perSecond).toFixed(0).padStart(8),
    ` ${spread(perSecond, 0)}`.padEnd(18),
    median(column(rounds, 'p50')).toFixed(1).padStart(10),
    median(column(rounds, 'p99')).toFixed(1).padStart(9),
    Number.isNaN(cpuMs) ? '' : cpuMs.toFixed(3).padStart(10),
  ]
  console.log(cells.join(''))
}

/** Says whether the goal is met. If every round misses it, the run fails. */
export function judge(unit: string, rounds: number[], decimals: number, goal?: Goal): void {
  const middle = median(rounds)
  const value = `${middle.toFixed(decimals)} ${unit} ${rounds.length > 1 ? spread(rounds, decimals) : ''}`
  if (!goal) return console.log(`  ${value}`)
  const isMissed = !rounds.some((round) => goal.isMet(round))
  if (isMissed) process.exitCode = 1
  const verdict = isMissed ? 'missed' : goal.isMet(middle) ? 'met' : 'within the spread'
  console.log(`  ${value.padEnd(46)} goal ${goal.text}: ${verdict}`)
}

export function column(rounds: Measured[], key: keyof Measured): number[] {
  return rounds.map((round) => round[key])
}

/** The ratio of the product's figure to the other figure, in each round. */
export function ratios(ours: Measured[], theirs: Measured[], key: keyof Measured): number[] {
  return ours.map((round, i) => round[key] / (theirs[i]?.[key] ?? Number.NaN))
}

function spread(numbers: number[], decimals: number): string {
  return `(${Math.min(...numbers).toFixed(decimals)} to ${Math.max(...numbers).toFixed(decimals)})`
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
