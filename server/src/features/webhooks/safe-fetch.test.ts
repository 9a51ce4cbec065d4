import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { BODY_BYTES_MAX } from '@portal/contract/limits.ts'
import { WEBHOOK_URL_NOT_HTTPS } from '@portal/contract/webhooks.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startNameServer } from '../../testing/name-server.ts'
import { makeSelfSigned } from '../../testing/self-signed.ts'
import { findUrlFault, type SafeRequest, safeFetch, UnsafeAddress } from './safe-fetch.ts'

const BROKEN_OFF = 'The connection was lost before the answer was complete'
const LATE = 'The answer was not complete within 1 seconds'
const NOT_VALID = 'Webhook URL is not a valid address'
const NOT_PUBLIC = 'Webhook URL must be on the public internet'
const NO_USER_INFO = 'Webhook URL must not contain a user name or password'
const WRONG_PORT = 'Webhook URL must use port 443 or a port from 1024 up'
const NO_SPACES = 'Webhook URL must not contain spaces'

test.each([
  'https://example.com',
  'https://hooks.example.com/portal/leads?token=abc&x=1#part',
  'HTTPS://Hooks.Example.COM/',
  'https://hooks.example.com:443/',
  'https://hooks.example.com:1024/',
  'https://hooks.example.com:65535/',
  'https://hooks.example.com./',
  'https://münchen.example/hook',
  'https://xn--mnchen-3ya.example/hook',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]:8443/',
  'https://hooks.example.com/user@host/redirect?to=http://127.0.0.1/',
  'https://localhost.example.com/',
  `https://example.com/${'x'.repeat(2_048 - 'https://example.com/'.length)}`,
])('%s is accepted as a webhook URL', (url) => {
  expect(findUrlFault(url, false)).toBeUndefined()
})

const HOSTILE_URLS: [url: string, fault: string][] = [
  // other protocols
  ['', WEBHOOK_URL_NOT_HTTPS],
  ['   ', WEBHOOK_URL_NOT_HTTPS],
  ['http://example.com/', WEBHOOK_URL_NOT_HTTPS],
  ['file:///etc/passwd', WEBHOOK_URL_NOT_HTTPS],
  ['gopher://example.com:70/_x', WEBHOOK_URL_NOT_HTTPS],
  ['ftp://example.com/', WEBHOOK_URL_NOT_HTTPS],
  ['javascript:alert(1)', WEBHOOK_URL_NOT_HTTPS],
  ['data:text/plain,x', WEBHOOK_URL_NOT_HTTPS],
  ['unix:/var/run/docker.sock', WEBHOOK_URL_NOT_HTTPS],
  ['//example.com/', WEBHOOK_URL_NOT_HTTPS],
  ['example.com', WEBHOOK_URL_NOT_HTTPS],
  ['https:example.com', WEBHOOK_URL_NOT_HTTPS],
  ['https:\\\\example.com\\', WEBHOOK_URL_NOT_HTTPS],
  [' https://example.com/', WEBHOOK_URL_NOT_HTTPS],
  // not a valid address
  ['https://', NOT_VALID],
  ['https://:443/', NOT_VALID],
  ['https://example.com:65536/', NOT_VALID],
  ['https://example.com:x/', NOT_VALID],
  ['https://exa%00mple.com/', NOT_VALID],
  ['https://example..com/', NOT_VALID],
  ['https://.example.com/', NOT_VALID],
  ['https://example.com../', NOT_VALID],
  ['https://./', NOT_VALID],
  ['https://256.256.256.256/', NOT_VALID],
  ['https://[::1/', NOT_VALID],
  ['https://[fe80::1%25eth0]/', NOT_VALID],
  ['https://[fe80::1%eth0]/', NOT_VALID],
  ['https://exam\nple.com/', NO_SPACES],
  ['https://local\thost/', NO_SPACES],
  ['https://example.com/a b', NO_SPACES],
  [`https://example.com/${'x'.repeat(3_000)}`, 'Webhook URL must be 2048 characters or fewer'],
  // user info
  ['https://user:pass@example.com/', NO_USER_INFO],
  ['https://user@example.com/', NO_USER_INFO],
  ['https://:pass@example.com/', NO_USER_INFO],
  ['https://example.com@127.0.0.1/', NO_USER_INFO],
  ['https://127.0.0.1:443%40@example.com/', NO_USER_INFO],
  // ports
  ['https://example.com:0/', WRONG_PORT],
  ['https://example.com:22/', WRONG_PORT],
  ['https://example.com:25/', WRONG_PORT],
  ['https://example.com:80/', WRONG_PORT],
  ['https://example.com:1023/', WRONG_PORT],
  // names of this machine and this network
  ['https://localhost/', NOT_PUBLIC],
  ['https://LOCALHOST/', NOT_PUBLIC],
  ['https://localhost./', NOT_PUBLIC],
  ['https://ｌｏｃａｌｈｏｓｔ/', NOT_PUBLIC],
  ['https://localho\u00adst/', NOT_PUBLIC],
  ['https://%6c%6f%63%61%6c%68%6f%73%74/', NOT_PUBLIC],
  ['https://portal.localhost/', NOT_PUBLIC],
  ['https://localhost.localdomain/', NOT_PUBLIC],
  ['https://printer.local/', NOT_PUBLIC],
  ['https://printer.local./', NOT_PUBLIC],
  ['https://metadata.google.internal/computeMetadata/v1/', NOT_PUBLIC],
  ['https://router.lan/', NOT_PUBLIC],
  ['https://router.home.arpa/', NOT_PUBLIC],
  ['https://postgres/', NOT_PUBLIC],
  ['https://com./', NOT_PUBLIC],
  // addresses that are not public, in many notations
  ['https://127.0.0.1/', NOT_PUBLIC],
  ['https://127.0.0.1./', NOT_PUBLIC],
  ['https://127.0.0.1../', NOT_PUBLIC],
  ['https://127.0.0.1:8443/', NOT_PUBLIC],
  ['https://127.1/', NOT_PUBLIC],
  ['https://2130706433/', NOT_PUBLIC],
  ['https://0x7f.1/', NOT_PUBLIC],
  ['https://0x7f000001/', NOT_PUBLIC],
  ['https://0177.0.0.1/', NOT_PUBLIC],
  ['https://017700000001/', NOT_PUBLIC],
  ['https://①②⑦.⓪.⓪.①/', NOT_PUBLIC],
  ['https://１２７.０.０.１/', NOT_PUBLIC],
  ['https://127。0。0。1/', NOT_PUBLIC],
  ['https://%31%32%37.0.0.1/', NOT_PUBLIC],
  ['https://0/', NOT_PUBLIC],
  ['https://0.0.0.0/', NOT_PUBLIC],
  ['https://10.0.0.1/', NOT_PUBLIC],
  ['https://172.16.0.1/', NOT_PUBLIC],
  ['https://192.168.1.1/', NOT_PUBLIC],
  ['https://100.64.0.1/', NOT_PUBLIC],
  ['https://169.254.169.254/latest/meta-data/', NOT_PUBLIC],
  ['https://2852039166/', NOT_PUBLIC],
  ['https://255.255.255.255/', NOT_PUBLIC],
  ['https://[::]/', NOT_PUBLIC],
  ['https://[::1]/', NOT_PUBLIC],
  ['https://[0:0:0:0:0:0:0:1]/', NOT_PUBLIC],
  ['https://[::ffff:127.0.0.1]/', NOT_PUBLIC],
  ['https://[::ffff:7f00:1]/', NOT_PUBLIC],
  ['https://[::127.0.0.1]/', NOT_PUBLIC],
  ['https://[64:ff9b::127.0.0.1]/', NOT_PUBLIC],
  ['https://[2002:7f00:1::]/', NOT_PUBLIC],
  ['https://[fd00:ec2::254]/', NOT_PUBLIC],
  ['https://[fe80::1]/', NOT_PUBLIC],
  ['https://[ff02::1]/', NOT_PUBLIC],
]

test.each(HOSTILE_URLS)('%j is refused as a webhook URL: %s', async (url, fault) => {
  expect(findUrlFault(url, false)).toBe(fault)
  await expect(safeFetch(url, strictly())).rejects.toThrow(new UnsafeAddress(fault))
})

test.each([
  ['http://localhost:3000/hook', undefined],
  ['http://127.0.0.1:3000/hook', undefined],
  ['http://[::1]:3000/hook', undefined],
  ['http://receiver/hook', undefined],
  ['http://10.0.0.1:80/hook', undefined],
  ['https://printer.local:443/hook', undefined],
  ['http://printer.local:443/hook', undefined],
  ['http://user:pass@localhost:3000/', NO_USER_INFO],
  ['http://localhost:22/', WRONG_PORT],
  ['http://localhost:1023/', WRONG_PORT],
  ['file:///etc/passwd', WEBHOOK_URL_NOT_HTTPS],
  ['http://', NOT_VALID],
])('if private addresses are allowed, the fault of %s is: %s', (url, fault) => {
  expect(findUrlFault(url, true)).toBe(fault)
})

test('the request has the given path, headers and body', async () => {
  const seen: IncomingMessage[] = []
  const bodies: Promise<string>[] = []
  await using receiver = await startReceiver((request, response) => {
    seen.push(request)
    bodies.push(readAll(request))
    response.setHeader('Retry-After', '120')
    response.setHeader('Set-Cookie', ['a=1', 'b=2'])
    response.writeHead(503).end('Later, please – später')
  })

  const answer = await safeFetch(`${receiver.url}/leads%20in?from=portal&x=1#part`, {
    ...privately(),
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
    body: '{"name":"Ōtara 🚚"}',
  })

  expect(answer).toMatchObject({ status: 503, body: 'Later, please – später' })
  expect(answer.headers).toMatchObject({ 'retry-after': '120', 'set-cookie': 'a=1, b=2' })
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/leads%20in?from=portal&x=1' })
  expect(seen[0]?.headers).toMatchObject({
    host: new URL(receiver.url).host,
    'content-type': 'application/json',
    'content-length': '22',
    'webhook-id': 'evt_1',
  })
  expect(await Promise.all(bodies)).toEqual(['{"name":"Ōtara 🚚"}'])
})

test.each([301, 302, 303, 307, 308])(
  'a redirect (%d) is returned as the answer and is not followed',
  async (status) => {
    let visits = 0
    await using elsewhere = await startReceiver((_, response) => {
      visits++
      response.end()
    })
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(status, { location: elsewhere.url }).end()
    })

    const answer = await safeFetch(receiver.url, privately())

    expect(answer).toMatchObject({ status, headers: { location: elsewhere.url } })
    expect(visits).toBe(0)
  },
)

// 2d00::/8 is not allocated to anybody, so nobody would be called even if a test failed.
test.each([
  ['loopback', ['127.0.0.1'], []],
  ['loopback of IPv6', [], ['::1']],
  ['a cloud’s credentials service', ['169.254.169.254'], []],
  ['a cloud’s credentials service over IPv6', [], ['fd00:ec2::254']],
  ['an IPv4 address mapped into IPv6', [], ['::ffff:127.0.0.1']],
  ['loopback through NAT64', [], ['64:ff9b::7f00:1']],
  ['a public and a private address', [], ['2d00::1', '::1']],
  ['a private and a public address', [], ['::1', '2d00::1']],
  ['a private IPv4 and a public IPv6 address', ['127.0.0.1'], ['2d00::1']],
])('a name that resolves to %s is not called, and the error does not contain the address', async (_, ipv4, ipv6) => {
  await using _nameServer = await startNameServer((type) => (type === 'A' ? ipv4 : ipv6))

  await expect(safeFetch('https://hooks.example.com/', strictly())).rejects.toThrow(
    new UnsafeAddress('This address is not on the public internet'),
  )
})

test('nothing is sent to a name that resolves to this machine', async () => {
  let connections = 0
  await using server = await startTcp(() => connections++)
  await using _nameServer = await startNameServer((type) => (type === 'A' ? ['127.0.0.1'] : ['::1']))

  await expect(safeFetch(`https://hooks.example.com:${server.port}/`, strictly())).rejects.toThrow(UnsafeAddress)
  expect(connections).toBe(0)
})

test('a name server that changes its answer cannot lead a call to an unchecked address', async () => {
  await using receiver = await startReceiver((_, response) => response.end('the checked address'))
  const questions: string[] = []
  await using _nameServer = await startNameServer((type, name) => {
    questions.push(`${type} ${name}`)
    if (type === 'AAAA') return []
    return questions.filter((question) => question.startsWith('A ')).length === 1 ? ['127.0.0.1'] : ['127.0.0.2']
  })

  const answer = await safeFetch(`http://hooks.example.com:${receiver.port}/`, privately())

  expect(answer.body).toBe('the checked address')
  expect(questions.toSorted()).toEqual(['A hooks.example.com', 'AAAA hooks.example.com'])
})

test('a name is resolved again for every call', async () => {
  let visits = 0
  await using receiver = await startReceiver((_, response) => {
    visits++
    response.end()
  })
  let isMoved = false
  await using _nameServer = await startNameServer((type) => {
    if (type === 'AAAA') return []
    return [isMoved ? '127.0.0.2' : '127.0.0.1']
  })
  const url = `http://hooks.example.com:${receiver.port}/`
  await safeFetch(url, privately())

  isMoved = true

  // Linux has the address 127.0.0.2 and refuses the connection. Other systems lack the address, and the call times out.
  await expect(safeFetch(url, { ...privately(), timeoutMs: 1_000 })).rejects.toThrow(/refused|No answer/)
  expect(visits).toBe(1)
})

test('the error for a name without addresses contains the name', async () => {
  await using _nameServer = await startNameServer(() => [])

  await expect(safeFetch('https://hooks.example.com/', strictly())).rejects.toThrow(
    new Error('The name hooks.example.com does not resolve'),
  )
})

test('a call ends at its timeout even if the name server does not answer', async () => {
  await using _nameServer = await startNameServer(() => undefined)

  await expect(safeFetch('https://hooks.example.com/', { ...strictly(), timeoutMs: 200 })).rejects.toThrow(
    new Error('No answer within 0.2 seconds'),
  )
})

test('localhost is this machine, whatever the name servers answer', async () => {
  await using receiver = await startReceiver((_, response) => response.end('here'))
  await using _nameServer = await startNameServer(() => [])

  for (const host of ['localhost', 'LOCALHOST.', 'portal.localhost']) {
    expect((await safeFetch(`http://${host}:${receiver.port}/`, privately())).body).toBe('here')
  }
})

test('a host that answers only at its second address is reached', async () => {
  await using receiver = await startReceiver((_, response) => response.end('reached'))
  await using _nameServer = await startNameServer((type) => (type === 'A' ? ['127.0.0.2', '127.0.0.1'] : []))

  expect((await safeFetch(`http://hooks.example.com:${receiver.port}/`, privately())).body).toBe('reached')
})

test('a certificate for the name is accepted if its authority is trusted', async () => {
  const certificate = makeSelfSigned('hooks.example.com')
  using _trust = trust(certificate.cert)
  await using receiver = await startReceiver((_, response) => response.end('secure'), certificate)
  await using _nameServer = await startNameServer((type) => (type === 'A' ? ['127.0.0.1'] : []))

  expect((await safeFetch(`https://hooks.example.com.:${receiver.port}/`, privately())).body).toBe('secure')
})

test.each([
  ['is self-signed', 'it is self-signed', false, makeSelfSigned('hooks.example.com')],
  ['has expired', 'it has expired', true, makeSelfSigned('hooks.example.com', new Date('2020-01-01'))],
  ['names another host', 'it is for another host', true, makeSelfSigned('portal.example.com')],
])('nothing is sent to a host whose certificate %s', async (_, fault, isTrusted, certificate) => {
  let visits = 0
  using _trust = trust(...(isTrusted ? [certificate.cert] : []))
  await using receiver = await startReceiver((_request, response) => {
    visits++
    response.end()
  }, certificate)
  await using _nameServer = await startNameServer((type) => (type === 'A' ? ['127.0.0.1'] : []))

  await expect(safeFetch(`https://hooks.example.com:${receiver.port}/`, privately())).rejects.toThrow(
    new Error(`The certificate is not valid: ${fault}`),
  )
  expect(visits).toBe(0)
})

test('certificates are checked even if the environment turns the check off for Node', async () => {
  await using receiver = await startReceiver((_, response) => response.end(), makeSelfSigned('hooks.example.com'))
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())

  await expect(safeFetch(`https://localhost:${receiver.port}/`, privately())).rejects.toThrow(
    'The certificate is not valid',
  )
})

test.each([
  [
    'does not speak TLS',
    'https',
    'A secure connection could not be established',
    answering('HTTP/1.1 400 Bad Request\r\n\r\n'),
  ],
  ['does not speak HTTP', 'http', 'The answer is not HTTP', answering('SSH-2.0-OpenSSH_9.9\r\n')],
  [
    'sends endless headers',
    'http',
    'The headers of the answer are too large',
    answering(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
  ],
  ['hangs up', 'http', BROKEN_OFF, answering('')],
  ['hangs up before TLS', 'https', BROKEN_OFF, answering('')],
  [
    'changes the protocol',
    'http',
    BROKEN_OFF,
    answering('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ],
  [
    'resets the connection',
    'http',
    BROKEN_OFF,
    (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
  ],
])('a call fails if the host %s (%s): %s', async (_, protocol, text, behave) => {
  await using server = await startTcp(behave)

  await expect(safeFetch(`${protocol}://localhost:${server.port}/`, privately())).rejects.toThrow(new Error(text))
})

const HEAD = 'HTTP/1.1 200 OK\r\n'
test.each([
  ['hangs up during its body', BROKEN_OFF, 'hal', answering(`${HEAD}content-length: 9\r\n\r\nhal`)],
  ['does not end its chunks', BROKEN_OFF, 'hal', answering(`${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nhal\r\n`)],
  ['sends more than it says', undefined, 'ha', answering(`${HEAD}content-length: 2\r\n\r\nhalf`)],
  ['resets the connection after its status', BROKEN_OFF, '', resetting(`${HEAD}content-length: 9\r\n\r\n`)],
  ['drips its body', LATE, '.', dripping(`${HEAD}content-length: 1000\r\n\r\n`, '.')],
  ['drips an endless body', LATE, '.', dripping(`${HEAD}\r\n`, '.')],
  ['fails and hangs up', BROKEN_OFF, 'hal', answering('HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nhal')],
])('the status counts if the host %s', async (what, bodyFault, body, behave) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await using server = await startTcp((socket) => {
    socket.once('close', () => resolve())
    behave(socket)
  })
  const answer = await safeFetch(`http://localhost:${server.port}/`, { ...privately(), timeoutMs: 1_000 })
  expect(answer).toMatchObject({ status: what.startsWith('fails') ? 500 : 200, body: expect.stringContaining(body) })
  expect(answer.bodyFault).toBe(bodyFault)
  await closed
})

test('the error for a port where nothing listens contains no address', async () => {
  const server = await startTcp(() => undefined)
  await server[Symbol.asyncDispose]()

  await expect(safeFetch(`http://localhost:${server.port}/`, privately())).rejects.toThrow(
    new Error('The connection was refused'),
  )
})

test.each([
  ['never agrees on TLS', 'https', () => undefined],
  ['never answers', 'http', () => undefined],
  ['never ends its headers', 'http', dripping('HTTP/1.1 200 OK\r\n', 'x: y\r\n')],
  ['only sends 102 Processing', 'http', dripping('', 'HTTP/1.1 102 Processing\r\n\r\n')],
])('a call ends at its timeout if the host %s (%s)', async (_, protocol, behave) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await using server = await startTcp((socket) => {
    socket.once('close', () => resolve())
    behave(socket)
  })

  await expect(
    safeFetch(`${protocol}://localhost:${server.port}/`, { ...privately(), timeoutMs: 400 }),
  ).rejects.toThrow(new Error('No answer within 0.4 seconds'))
  await closed
})

test('an aborted call throws the reason and closes its connection', async () => {
  const stop = new AbortController()
  const reason = new Error('the worker is stopping')
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await using server = await startTcp((socket) => {
    socket.once('close', () => resolve())
    socket.once('data', () => stop.abort(reason))
  })

  await expect(safeFetch(`http://localhost:${server.port}/`, { ...privately(), signal: stop.signal })).rejects.toBe(
    reason,
  )
  await closed
})

test('a call that was aborted before it began asks no name server', async () => {
  let questions = 0
  await using _nameServer = await startNameServer(() => {
    questions++
    return []
  })
  const reason = new Error('the worker is stopping')

  const call = safeFetch('https://hooks.example.com/', { ...strictly(), signal: AbortSignal.abort(reason) })

  await expect(call).rejects.toBe(reason)
  expect(questions).toBe(0)
})

test('a call reads the first 64 KiB of an endless body and closes the connection', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await using receiver = await startReceiver((_, response) => {
    response.once('close', () => resolve())
    const send = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', send)
    }
    send()
  })

  const answer = await safeFetch(receiver.url, privately())

  expect(answer).toMatchObject({ status: 200, body: 'x'.repeat(BODY_BYTES_MAX) })
  await closed
})

test.each([
  ['without NUL', Buffer.from('a\0b'), 'a\uFFFDb'],
  ['well-formed', Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]), 'a\uFFFD\uFFFD\uFFFD\uFFFDb'],
  [
    'without half a character at its end',
    Buffer.from(`${'x'.repeat(BODY_BYTES_MAX - 1)}é`),
    'x'.repeat(BODY_BYTES_MAX - 1),
  ],
  [
    'at most 64 KiB even if the bytes are not text',
    Buffer.alloc(BODY_BYTES_MAX, 0xff),
    '\uFFFD'.repeat(Math.floor(BODY_BYTES_MAX / 3)),
  ],
  ['empty if the answer has no body', Buffer.alloc(0), ''],
])('the body of an answer is text that can be stored: %s', async (_, sent, body) => {
  await using receiver = await startReceiver((_request, response) => response.end(sent))

  expect((await safeFetch(receiver.url, privately())).body).toBe(body)
})

function strictly(): SafeRequest {
  return { headers: {}, body: '{}', timeoutMs: 15_000, allowPrivate: false, signal: new AbortController().signal }
}

function privately(): SafeRequest {
  return { ...strictly(), allowPrivate: true }
}

async function startReceiver(listener: RequestListener, certificate?: { key: string; cert: string }) {
  const server = certificate ? createHttpsServer(certificate, listener) : createHttpServer(listener)
  const { port, stop } = await listen(server)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await stop()
    },
  }
}

/** Starts a TCP server, for hosts that break the rules of HTTP. */
async function startTcp(behave: (socket: Socket) => unknown) {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    behave(socket)
    socket.resume()
  })
  const { port, stop } = await listen(server)
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await stop()
    },
  }
}

async function listen(server: Server | TcpServer) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

function answering(text: string) {
  return (socket: Socket) => socket.once('data', () => socket.end(text))
}

function resetting(text: string) {
  return (socket: Socket) => socket.once('data', () => socket.write(text, () => socket.resetAndDestroy()))
}

function dripping(start: string, drop: string) {
  return (socket: Socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(drop), 20)
    socket.once('close', () => clearInterval(timer))
  }
}

function trust(...authorities: string[]): Disposable {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, ...authorities])
  return { [Symbol.dispose]: () => setDefaultCACertificates(before) }
}

async function readAll(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString()
}
