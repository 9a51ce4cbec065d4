import type { Pagination } from '@portal/contract/answer.ts'

interface Paging {
  page: number
  limit: number
}

export interface Page<Row> {
  rows: Row[]
  pagination: Pagination
}

export function offset({ page, limit }: Paging): number {
  return (page - 1) * limit
}

/** `rows` contains one extra row if there are more, so that `has_more` needs no counting. */
export function cutPage<Row>(rows: Row[], { page, limit }: Paging): Page<Row> {
  return { rows: rows.slice(0, limit), pagination: { page, limit, has_more: rows.length > limit } }
}
