export type SortDirection = 'ascending' | 'descending'

export interface Sort<Column extends string = string> {
  column: Column
  direction: SortDirection
}

/** The active column reverses its order. Another column starts in descending order. */
export function toggleSort<Column extends string>(sort: Sort<Column>, column: Column): Sort<Column> {
  const turned = sort.column === column && sort.direction === 'descending' ? 'ascending' : 'descending'
  return { column, direction: turned }
}

/** The form of a sort in an address: `-amount` is descending. */
export function sortParam({ column, direction }: Sort): string {
  return direction === 'descending' ? `-${column}` : column
}

export function parseSort<Column extends string>(
  param: string | undefined,
  columns: readonly Column[],
  fallback: Sort<Column>,
): Sort<Column> {
  const column = columns.find((candidate) => candidate === param?.replace(/^-/, ''))
  if (column === undefined) return fallback
  return { column, direction: param?.startsWith('-') ? 'descending' : 'ascending' }
}

/**
 * What a list asks the server for: all rows in this order, or, while the page sorts only the rows that it has loaded,
 * nothing (D80).
 */
export function serverSort<Column extends string>(
  { sort, sorted }: { sort?: string | undefined; sorted?: 'all' | undefined },
  columns: readonly Column[],
  fallback: Sort<Column>,
): { sort?: Column; order?: 'asc' | 'desc' } {
  if (!sorted || !sort) return {}
  const { column, direction } = parseSort(sort, columns, fallback)
  return { sort: column, order: direction === 'descending' ? 'desc' : 'asc' }
}

export type Sortable = string | number | null | undefined

/**
 * Returns a sorted copy. Text is compared without regard to case, and the numbers in it by value. Unknown values come
 * last in either direction.
 */
export function sortRows<Row>(rows: readonly Row[], direction: SortDirection, valueOf: (row: Row) => Sortable): Row[] {
  const sign = direction === 'ascending' ? 1 : -1
  return rows.toSorted((left, right) => compare(valueOf(left), valueOf(right), sign))
}

function compare(left: Sortable, right: Sortable, sign: number): number {
  const [leftKnown, rightKnown] = [isKnown(left), isKnown(right)]
  if (!leftKnown || !rightKnown) return Number(rightKnown) - Number(leftKnown)
  if (typeof left === 'number' && typeof right === 'number') return sign * (left - right)
  return sign * String(left).localeCompare(String(right), 'en', { sensitivity: 'base', numeric: true })
}

function isKnown(value: Sortable): boolean {
  return value !== null && value !== undefined && value !== ''
}
