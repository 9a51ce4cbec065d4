import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BYTE_ORDER_MARK } from '../csv.ts'
import { TooMany } from '../errors.ts'

/** How many files one process reads from the database at a time. Sending them does not count. */
const READS_MAX = 2
/** The partners whose files are being read: one each, so that no partner takes all places. */
const reading = new Set<string>()
/** How many files of one partner lie here at a time: each stays until its reader has taken it, however slowly. */
const FILES_OF_PARTNER_MAX = 3
/** The partner of each file. */
const files: string[] = []

/** Writes all lines of a file. It throws if the file cannot be complete. */
export type WriteLines = (write: (lines: string) => Promise<void>) => Promise<void>

/** The answer of a `file` route. If the stream breaks, the connection does too, so that no file looks whole (D82). */
export class ExportFile {
  readonly name: string
  readonly stream: Readable

  /**
   * Sends the heading at once. `writeLines` writes the rest into a file of this process, so that the database never
   * waits for a slow reader; then the file is sent. Throws `TooMany` while another file of this partner or two other files
   * are read, or three of this partner's files are sent.
   */
  constructor(partnerId: string, name: string, heading: string, writeLines: WriteLines) {
    if (reading.has(partnerId)) {
      throw new TooMany('Another export of your business is being made. Please try again in a moment.', 10)
    }
    if (reading.size === READS_MAX) throw new TooMany('Two exports are being made. Please try again in a moment.', 10)
    if (files.filter((id) => id === partnerId).length === FILES_OF_PARTNER_MAX) {
      throw new TooMany('Three exports of your business are on their way. Please try again once they have arrived.', 60)
    }
    this.name = name
    const stream = new PassThrough()
    this.stream = stream
    files.push(partnerId)
    stream.once('close', () => files.splice(files.indexOf(partnerId), 1))
    stream.write(BYTE_ORDER_MARK + heading)
    reading.add(partnerId)
    void readIntoFile(stream, writeLines)
      .finally(() => reading.delete(partnerId))
      .then((file) => pipeline(file.createReadStream({ start: 0 }), stream))
      .catch((error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))))
  }
}

async function readIntoFile(reader: Readable, writeLines: WriteLines): Promise<FileHandle> {
  const file = await openNameless()
  try {
    await writeLines(async (lines) => {
      if (reader.destroyed) throw new Error('Nobody waits for the file any more')
      await file.appendFile(lines)
    })
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Opens a file that only this process can reach. It has lost its name already, so it is gone with the process. */
async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portal-export-'))
  try {
    return await open(path.join(folder, 'rows.csv'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
