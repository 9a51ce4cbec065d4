import type { RawBuilder } from 'kysely'
import { csvLine, dayWriter } from '../csv.ts'
import type { Db } from '../db/database.ts'
import { readAll } from '../db/read-all.ts'
import { ExportFile } from './export-file.ts'

/** A column's heading, and its cell in a row. `dayOf` gives the day of an instant in the file's zone. */
export type CsvColumn<Row> = [
  heading: string,
  cell: (row: Row, dayOf: (instant: string) => string) => string | number | null,
]

/** All rows of the partner's statement as a CSV file. */
export function csvFile<Row>(
  db: Db,
  partnerId: string,
  name: string,
  columns: readonly CsvColumn<Row>[],
  statement: RawBuilder<Row>,
  zone: string,
): ExportFile {
  const heading = csvLine(columns.map(([text]) => text))
  const dayOf = dayWriter(zone)
  const lineOf = (row: Row) => csvLine(columns.map(([, cell]) => cell(row, dayOf)))
  return new ExportFile(partnerId, name, heading, (write) =>
    readAll(db, statement, (rows) => write(rows.map((row) => lineOf(row)).join(''))),
  )
}
