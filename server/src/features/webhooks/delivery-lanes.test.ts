import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type DeliveryLanes, openDeliveryLanes } from './delivery-lanes.ts'

const SLOW_MS = 1_001

let lanes: DeliveryLanes
beforeEach(() => {
  vi.useFakeTimers()
  lanes = openDeliveryLanes()
})
afterEach(() => {
  vi.useRealTimers()
})

const ignored = () => undefined

/** The part of the id after the `@`. A partner without an `@` in its id has a host of its own. */
const hostOf = (partnerId: string) => partnerId.split('@')[1] ?? partnerId

/** Begins all attempts that the lanes allow. Afterwards the partners are ready again, as if they had more to send. */
function beginAll(...partnerIds: string[]) {
  for (const partnerId of partnerIds) lanes.markReady(partnerId)
  const taken = lanes.take()
  for (const { partnerId } of taken) lanes.markReady(partnerId)
  return taken.flatMap(({ partnerId, count }) =>
    Array.from({ length: count }, () => lanes.begin(partnerId, hostOf(partnerId), ignored)),
  )
}

function countOf(partnerId: string): number {
  lanes.markReady(partnerId)
  return lanes.take().find((lane) => lane.partnerId === partnerId)?.count ?? 0
}

const many = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name} ${i}`)

test('an endpoint gets one attempt at a time until a success, then four, and one again after a failure', () => {
  const [first, ...more] = beginAll('ada')
  expect([first === undefined, more.length]).toEqual([false, 0])
  expect(countOf('ada')).toBe(0)
  first?.end(true)
  const four = beginAll('ada')
  expect(four).toHaveLength(4)
  expect(countOf('ada')).toBe(0)
  four[0]?.end(true)
  expect(countOf('ada')).toBe(1)
  for (const attempt of four.slice(1)) attempt.end(false)
  expect(countOf('ada')).toBe(1)
})

test('hanging endpoints delay other endpoints by a second at most', () => {
  expect(beginAll(...many('hanging', 150))).toHaveLength(100)
  expect(countOf('ada')).toBe(0)
  vi.advanceTimersByTime(SLOW_MS)
  expect(countOf('ada')).toBe(1)
})

test('a host that hangs delays other endpoints by a second at most, however many partners use the host', () => {
  const partnerIds = many('hung', 500).map((name) => `${name}@hung.example`)
  for (const partnerId of partnerIds) lanes.begin(partnerId, hostOf(partnerId), ignored).end(true)
  const first = beginAll(...partnerIds)
  expect(first).toHaveLength(100)
  vi.advanceTimersByTime(SLOW_MS)
  const second = beginAll()
  expect(second).toHaveLength(100)
  expect(countOf('ada')).toBe(1)
  // The host answers again. Its late endpoints get slow slots, and its other endpoints get quick slots.
  for (const attempt of [...first, ...second]) attempt.end(true)
  expect(beginAll()).toHaveLength(200)
})

test('one partner’s slow endpoint does not slow down other partners’ endpoints on the same host', () => {
  const failing = many('failing', 500)
  for (const partnerId of failing) lanes.learnFailing(partnerId)
  beginAll(...failing)
  lanes.begin('late@shared.example', 'shared.example', ignored).end(true)
  // Begins four attempts to the late endpoint and Ada's first attempt, which then succeeds.
  beginAll('late@shared.example', 'ada@shared.example')[4]?.end(true)
  vi.advanceTimersByTime(SLOW_MS)
  expect(countOf('ada@shared.example')).toBe(4)
})

test('an endpoint that fails in another process gets one slow slot at a time, even after a success in this process', () => {
  lanes.begin('ada', 'ada', ignored).end(true)
  lanes.learnFailing('ada')
  expect(beginAll('ada')).toHaveLength(1)
  expect(beginAll(...many('well', 100))).toHaveLength(100)
})

test('endpoints that are known to fail use no quick slots, however many such endpoints there are', () => {
  const failing = many('failing', 500)
  for (const partnerId of failing) lanes.learnFailing(partnerId)
  expect(beginAll(...failing)).toHaveLength(200)
  expect(beginAll(...many('well', 99))).toHaveLength(99)
  expect(countOf('ada')).toBe(1)
})

test('a partner that got no slot comes before a partner that got a slot', () => {
  const [first] = beginAll(...many('busy', 99), 'ada', 'bob')
  expect(beginAll()).toEqual([])
  first?.end(true)
  expect(lanes.take()).toEqual([{ partnerId: 'bob', count: 1 }])
})

test('an endpoint that has answered late uses slow slots for its next attempts', () => {
  const [late] = beginAll('late')
  vi.advanceTimersByTime(SLOW_MS)
  late?.end(true)
  expect(beginAll('late')).toHaveLength(4)
  expect(beginAll(...many('well', 200))).toHaveLength(100)
})
