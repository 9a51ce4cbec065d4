import { createSocket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

const HEADER_BYTES = 12
const NO_SUCH_NAME = 3
const TYPES: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' }

/**
 * Starts a name server that this process uses until the server is disposed of. `answer` returns the current addresses
 * of a name, which are not cached. If `answer` returns undefined, the server does not reply.
 */
export async function startNameServer(
  answer: (type: 'A' | 'AAAA', name: string) => string[] | undefined,
): Promise<AsyncDisposable> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, end } = readName(query)
    const type = TYPES[query.readUInt16BE(end)]
    const addresses = type ? answer(type, name) : []
    if (addresses) socket.send(reply(query, end + 4, addresses), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')

  const servers = getServers()
  setServers([`127.0.0.1:${socket.address().port}`])
  return {
    async [Symbol.asyncDispose]() {
      setServers(servers)
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** Each label comes after its length. The name ends with an empty label. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function reply(query: Buffer, questionEnd: number, addresses: string[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2) // the query's id
  header.writeUInt16BE(0x8580 | (addresses.length === 0 ? NO_SUCH_NAME : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([header, query.subarray(HEADER_BYTES, questionEnd), ...addresses.map(toRecord)])
}

/** A resource record: the question's name, type, class IN, a time to live of zero seconds, and the address. */
function toRecord(address: string): Buffer {
  const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address)
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
  record.writeUInt16BE(isIPv4(address) ? 1 : 28, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([record, data])
}

function ipv6Bytes(address: string): Buffer {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [start = [], end = []] = canonical.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0')
  return Buffer.from([...start, ...zeros, ...end].map((group) => group.padStart(4, '0')).join(''), 'hex')
}
