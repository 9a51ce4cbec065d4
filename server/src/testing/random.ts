export interface Random {
  /** From 0 to 1, 1 excluded. */
  next(): number
  /** A whole number from 0 to `below`, `below` excluded. */
  below(below: number): number
  chance(of: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** Returns a generator that gives the same numbers for the same seed (mulberry32). */
export function openRandom(seed: number): Random {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (of) => next() < of,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

/** The seeds that a test plays: the first, or as many as `<name>_RUNS` says, beginning with `<name>_SEED`. */
export function seedsOf(name: 'FEED' | 'IMPORT'): number[] {
  const runs = Number(process.env[`${name}_RUNS`] ?? 1)
  const first = Number(process.env[`${name}_SEED`] ?? 1)
  return Array.from({ length: runs }, (_, at) => first + at)
}
