import { createInflateRaw } from 'node:zlib'
import type { DocumentType, StoredFile } from './stored-file.ts'

type Verdict = { type: DocumentType } | { refusal: string }

interface Entry {
  name: string
  /** 0 is stored, 8 is deflated. */
  method: number
  packedSize: number
  size: number
  at: number
}

/** The Word or Excel file is not as such files are, so nobody can say what opening it does. */
class Broken extends Error {}

const ENTRIES_MAX = 2_000
const DIRECTORY_BYTES_MAX = 2 * 1024 * 1024
/** The end of an archive is searched in as many bytes as its comment may have. */
const END_BYTES_MAX = 65_557
const END_BYTES = 22
const HEADER_BYTES = 46
const LOCAL_BYTES = 30
/** Word and Excel pack their texts to a tenth or less, but never to so little: such an entry is not unpacked at all. */
const PACKED_TIMES_MAX = 200
/** Short texts may be packed as tightly as they like. */
const SHORT_BYTES_MAX = 1024 * 1024
/** A Word or Excel file of 100 MB unpacks to little more, as most of it is pictures. */
const UNPACKED_BYTES_MAX = 192 * 1024 * 1024
/** Unpacking runs beside the event loop, which gets pieces of this size. */
const UNPACKED_PIECE_BYTES = 128 * 1024
const TYPES_BYTES_MAX = 1024 * 1024
const READ_BYTES = 1024 * 1024

const KINDS: readonly [RegExp, DocumentType][] = [
  [
    /ContentType\s*=\s*["']application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.document\.main\+xml["']/,
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  [
    /ContentType\s*=\s*["']application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet\.main\+xml["']/,
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
]
const MACROS = /vbaproject\.bin$|vbadata\.xml$|^xl\/macrosheets\/|\/activex\//i
const PROGRAMS = /\.(?:exe|dll|com|scr|msi|jar|class|js|jse|vbs|vbe|wsf|hta|bat|cmd|ps1|lnk|sh|app)$/i

const ARCHIVE = 'Archives cannot be sent. Send each file by itself.'
const MACRO = 'Files with macros cannot be sent. Save the file without macros, or as a PDF.'
const LARGE = 'This file is packed so tightly that it cannot be checked. Save it again, or as a PDF.'
const BROKEN = 'This file is damaged or protected, so it cannot be checked. Save it again, or as a PDF.'

/**
 * Says whether an archive is a Word or Excel file without macros. Unpacks every entry, without keeping it, so that none is
 * larger than it says.
 */
export async function judgeOffice(file: StoredFile): Promise<Verdict> {
  try {
    const entries = await readDirectory(file)
    const names = entries.map(({ name }) => name)
    const types = entries.find(({ name }) => name === '[Content_Types].xml')
    if (!types) return { refusal: ARCHIVE }
    if (names.some((name) => MACROS.test(name))) return { refusal: MACRO }
    if (names.some((name) => PROGRAMS.test(name))) return { refusal: ARCHIVE }
    if (names.some((name) => /^[/\\]|\\|(?:^|\/)\.\.(?:\/|$)|\0/.test(name))) return { refusal: BROKEN }
    // Programs differ in which of two entries with one name they read.
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return { refusal: BROKEN }
    if (entries.reduce((sum, { size }) => sum + size, 0) > UNPACKED_BYTES_MAX) return { refusal: LARGE }
    if (entries.some(({ size, packedSize }) => size > SHORT_BYTES_MAX && size > packedSize * PACKED_TIMES_MAX))
      return { refusal: LARGE }
    if (types.size > TYPES_BYTES_MAX) return { refusal: LARGE }
    // Entries that share bytes are a way to pack more than the archive holds.
    if (entries.reduce((sum, { packedSize }) => sum + packedSize + LOCAL_BYTES, 0) > file.size)
      return { refusal: LARGE }
    const listed: Buffer[] = []
    for (const entry of entries) await unpack(file, entry, entry === types ? (piece) => listed.push(piece) : undefined)
    const text = Buffer.concat(listed).toString('utf8')
    if (/macroEnabled|vbaProject/i.test(text)) return { refusal: MACRO }
    // Comments and coded characters would hide what the list says. Word and Excel write neither.
    if (/<!|&#/.test(text)) return { refusal: BROKEN }
    const kind = KINDS.find(([pattern]) => pattern.test(text))
    return kind ? { type: kind[1] } : { refusal: ARCHIVE }
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return { refusal: BROKEN }
  }
}

async function readDirectory(file: StoredFile): Promise<Entry[]> {
  const from = Math.max(0, file.size - END_BYTES_MAX)
  const tail = await file.read(from, file.size - from)
  const at = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (at < 0 || tail.byteLength - at < END_BYTES) throw new Broken()
  const count = tail.readUInt16LE(at + 10)
  const bytes = tail.readUInt32LE(at + 12)
  const start = tail.readUInt32LE(at + 16)
  // The directory ends where the end begins, or other programs could read another directory.
  if (count > ENTRIES_MAX || bytes > DIRECTORY_BYTES_MAX || start + bytes !== from + at) throw new Broken()
  const directory = await file.read(start, bytes)
  const entries: Entry[] = []
  for (let position = 0; entries.length < count; ) {
    if (directory.byteLength < position + HEADER_BYTES || directory.readUInt32LE(position) !== 0x0201_4b50)
      throw new Broken()
    const isEncrypted = (directory.readUInt16LE(position + 8) & 1) === 1
    const nameBytes = directory.readUInt16LE(position + 28)
    const next =
      position +
      HEADER_BYTES +
      nameBytes +
      directory.readUInt16LE(position + 30) +
      directory.readUInt16LE(position + 32)
    const entry = {
      name: directory.toString('utf8', position + HEADER_BYTES, position + HEADER_BYTES + nameBytes),
      method: directory.readUInt16LE(position + 10),
      packedSize: directory.readUInt32LE(position + 20),
      size: directory.readUInt32LE(position + 24),
      at: directory.readUInt32LE(position + 42),
    }
    if (isEncrypted || (entry.method !== 0 && entry.method !== 8)) throw new Broken()
    entries.push(entry)
    position = next
  }
  return entries
}

/** Unpacks an entry piece by piece. Throws if it is damaged, or is not as large as the directory says. */
async function unpack(file: StoredFile, entry: Entry, keep?: (piece: Buffer) => void): Promise<void> {
  const local = await file.read(entry.at, LOCAL_BYTES)
  if (local.byteLength < LOCAL_BYTES || local.readUInt32LE(0) !== 0x0403_4b50) throw new Broken()
  const start = entry.at + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28)
  let unpacked = 0
  const take = (piece: Buffer) => {
    unpacked += piece.byteLength
    if (unpacked > entry.size) throw new Broken()
    keep?.(piece)
  }
  if (entry.method === 0) {
    for await (const piece of piecesOf(file, start, entry.packedSize)) take(piece)
  } else {
    const inflate = createInflateRaw({ chunkSize: UNPACKED_PIECE_BYTES })
    const feeding = feed(inflate, piecesOf(file, start, entry.packedSize))
    feeding.catch(() => undefined)
    try {
      for await (const piece of inflate) take(piece)
      await feeding
    } catch (error) {
      if (error instanceof Broken || isOfZlib(error)) throw new Broken()
      throw error
    } finally {
      inflate.destroy()
    }
  }
  if (unpacked !== entry.size) throw new Broken()
}

async function feed(inflate: ReturnType<typeof createInflateRaw>, pieces: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (!inflate.write(piece)) await Promise.race([drained(inflate), ended(inflate)])
      if (inflate.destroyed) return
    }
    inflate.end()
  } catch (error) {
    inflate.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

function drained(inflate: ReturnType<typeof createInflateRaw>): Promise<void> {
  return new Promise((resolve) => inflate.once('drain', resolve))
}

function ended(inflate: ReturnType<typeof createInflateRaw>): Promise<void> {
  return new Promise((resolve) => inflate.once('close', resolve))
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

async function* piecesOf(file: StoredFile, start: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; ) {
    const piece = await file.read(start + done, Math.min(READ_BYTES, length - done))
    if (piece.byteLength === 0) throw new Broken()
    yield piece
    done += piece.byteLength
  }
}
