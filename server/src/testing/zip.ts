import { crc32, deflateRawSync } from 'node:zlib'

export interface Packed {
  name: string
  content: string | Buffer
  /** What the directory says of the unpacked size, if it lies. */
  said?: number
  isEncrypted?: boolean
}

/** An archive, as the writers of Word and Excel files make it. */
export function zip(entries: readonly Packed[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  // A bomb has the same content many times, and packing it takes long.
  const packs = new Map<Packed['content'], Buffer>()
  let at = 0
  for (const { name, content, said, isEncrypted } of entries) {
    const plain = Buffer.from(content)
    const packed = packs.get(content) ?? deflateRawSync(plain, { level: 9 })
    packs.set(content, packed)
    const named = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(isEncrypted ? 1 : 0, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(plain), 10)
    facts.writeUInt32LE(packed.byteLength, 14)
    facts.writeUInt32LE(said ?? plain.byteLength, 18)
    facts.writeUInt16LE(named.byteLength, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, named, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, named]))
    bodies.push(local)
    at += local.byteLength
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.byteLength, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...bodies, listed, end])
}

/** The list of contents that says what an Office file is. */
export function contentTypes(type: string): Packed {
  return {
    name: '[Content_Types].xml',
    content: `<Types><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`,
  }
}

export const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
export const WORD_WITH_MACROS = 'application/vnd.ms-word.document.macroEnabled.main+xml'

/** A Word file with more entries. */
export function docx(...more: Packed[]): Buffer {
  return zip([contentTypes(WORD), { name: 'word/document.xml', content: '<w:document/>' }, ...more])
}
