import { type Hearing, liveMessage, MISSED_EVENTS_MAX, mayHear, STREAMS_OF_PERSON_MAX } from '@portal/contract/live.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { chunksOf } from '../../platform/chunks-of.ts'
import { firstIdAt, isId, timeOfId } from '../../platform/db/ids.ts'
import { type Hearer, ID_LENGTH, LIVE } from '../../platform/db/listen.ts'
import { PortalError, TooMany } from '../../platform/errors.ts'
import type { StreamCall } from '../../platform/http/mount.ts'
import { type Reader, Stream } from '../../platform/live/stream.ts'
import { findEventsSince } from '../../records/events/events.ts'

/** An ended session's streams end within this time plus the time of the look-ups in the database. */
const LOOK_EVERY_MS = 2_000
const LOOKED_UP_AT_ONCE = 250
/**
 * An event gets its id before its transaction commits, so an event can become visible after a newer event that a page
 * has already received. No transaction takes this long, and the machines' clocks differ by less.
 */
const LOOK_BACK_MS = 120_000
/** A new page has just loaded its data, so it can have missed only the latest events. */
const FIRST_LOOK_BACK_MS = 15_000
/** Changes without an id that a page shows from its first data on. */
const REPEATED = ['partner.changed', 'team.changed'] as const
const ASK_AGAIN_SECONDS = 15
/** How soon a listener that lost its connection tries again. */
const HEARS_AGAIN_SECONDS = 1

interface LiveSettings {
  /** How many streams can be open at once in this process. */
  streamsMax: number
  /** What the people of the sessions that have not ended may see. */
  findHearings(sessions: readonly string[]): Promise<ReadonlyMap<string, Hearing>>
}

export interface Live extends Hearer {
  /** Opens a stream, or throws if no stream can be opened. */
  open(reader: Reader, call: StreamCall): void
  /** How many streams are open in this process. */
  count(): number
  /** Ends all streams. Further streams are refused. */
  close(): void
}

/**
 * The streams of this process, fed by its one listener (D70). Streams keep no state beyond their connections, so
 * processes share nothing about them. The limit per person applies to each process.
 */
export function openLive(
  { reads, clock, log }: Pick<Deps, 'reads' | 'clock' | 'log'>,
  { streamsMax, findHearings }: LiveSettings,
): Live {
  const streams = new Set<Stream>()
  const ofPartners = new Map<string, Set<Stream>>()
  const ofPersons = new Map<string, Set<Stream>>()
  const { noteHeard, heardBefore } = openHeard()
  let isClosed = false
  let isHearing = false
  let looking: NodeJS.Timeout | undefined

  function add(stream: Stream): void {
    streams.add(stream)
    addTo(ofPartners, stream.reader.partnerId, stream)
    addTo(ofPersons, stream.reader.personId, stream)
    looking ??= setTimeout(() => void look(), LOOK_EVERY_MS)
  }

  function remove(stream: Stream): void {
    streams.delete(stream)
    removeFrom(ofPartners, stream.reader.partnerId, stream)
    removeFrom(ofPersons, stream.reader.personId, stream)
  }

  async function tellMissed(stream: Stream, lastEventId: string | undefined): Promise<void> {
    const now = clock.now()
    const nowMs = now.getTime()
    const sinceMs =
      lastEventId && isId(lastEventId)
        ? Math.min(Date.parse(timeOfId(lastEventId)), nowMs) - LOOK_BACK_MS
        : nowMs - FIRST_LOOK_BACK_MS
    const missed = await findEventsSince(reads, stream.reader.partnerId, new Date(sinceMs), MISSED_EVENTS_MAX + 1)
    const told: Told[] =
      missed.length > MISSED_EVENTS_MAX
        ? [['stream.reset', null, null]]
        : missed.map(({ type, loid, id }) => [type, loid, id])
    if (lastEventId === undefined) told.push(...heardBefore(stream.reader.partnerId, nowMs))
    // `stream.opened` has an id, so that a page that has received no event yet can also send an id when it reconnects.
    stream.begin(textOf([...told, ['stream.opened', null, firstIdAt(now)]], stream.reader.hearing, nowMs))
  }

  /** Ends the streams whose sessions have ended, in any way and in any process. Updates what the others may see. */
  async function look(): Promise<void> {
    try {
      for (const some of chunksOf([...streams], LOOKED_UP_AT_ONCE)) {
        const hearings = await findHearings(some.map(({ reader }) => reader.session))
        for (const stream of some) {
          const hearing = hearings.get(stream.reader.session)
          if (hearing) stream.reader.hearing = hearing
          else stream.end()
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'the sessions of open pages were not looked up')
    }
    looking = streams.size > 0 && !isClosed ? setTimeout(() => void look(), LOOK_EVERY_MS) : undefined
  }

  return {
    channels: {
      [LIVE](payload) {
        const nowMs = clock.now().getTime()
        noteHeard(payload, nowMs)
        const readers = ofPartners.get(payload.slice(0, ID_LENGTH))
        if (!readers) return
        const told = Notification.parse(JSON.parse(payload.slice(ID_LENGTH)))
        const texts = new Map<string, string>()
        for (const stream of readers) {
          const { hearing } = stream.reader
          const key = `${hearing.role} ${hearing.personRights.join(' ')}`
          const text = texts.get(key) ?? textOf(told, hearing, nowMs)
          texts.set(key, text)
          stream.write(text)
        }
      },
    },
    onConnect() {
      isHearing = true
    },
    // A page would not notice that an open stream has become silent. When the stream ends, the page reconnects and
    // receives the events that it missed.
    onBreak() {
      isHearing = false
      for (const stream of streams) stream.end()
    },
    open(reader, { lastEventId, accept }) {
      if (!isHearing) {
        const text = 'The portal cannot reach its database at the moment. Please try again soon.'
        throw new PortalError(503, 'UNAVAILABLE', text, { retryAfterSeconds: HEARS_AGAIN_SECONDS })
      }
      if (isClosed || streams.size >= streamsMax) {
        const text = 'The portal has no room for another live page. Please try again in a moment.'
        throw new PortalError(503, 'UNAVAILABLE', text, { retryAfterSeconds: ASK_AGAIN_SECONDS })
      }
      if ((ofPersons.get(reader.personId)?.size ?? 0) >= STREAMS_OF_PERSON_MAX) {
        throw new TooMany(`A person can have at most ${STREAMS_OF_PERSON_MAX} live pages at once.`, ASK_AGAIN_SECONDS)
      }
      const stream = new Stream(reader, accept(), remove)
      add(stream)
      tellMissed(stream, lastEventId).catch((error: unknown) => {
        log.warn({ err: error }, 'a page did not receive the events that it missed')
        stream.cut()
      })
    },
    count: () => streams.size,
    close() {
      isClosed = true
      clearTimeout(looking)
      for (const stream of streams) stream.end()
    },
  }
}

/** Remembers the changes without an id that a new page may have missed. */
function openHeard() {
  /** When these changes of each partner were last heard, the oldest first. */
  const heard = new Map<string, number>()

  function noteHeard(payload: string, nowMs: number): void {
    const partnerId = payload.slice(0, ID_LENGTH)
    for (const type of REPEATED) {
      if (!payload.includes(`"${type}"`)) continue
      const key = `${type} ${partnerId}`
      heard.delete(key)
      heard.set(key, nowMs)
    }
    for (const [key, atMs] of heard) {
      if (nowMs - atMs <= FIRST_LOOK_BACK_MS) break
      heard.delete(key)
    }
  }

  /** What changed without an id since a new page loaded its data. */
  function heardBefore(partnerId: string, nowMs: number): Told[] {
    return REPEATED.flatMap((type): Told[] => {
      const atMs = heard.get(`${type} ${partnerId}`) ?? 0
      return nowMs - atMs <= FIRST_LOOK_BACK_MS ? [[type, null, null]] : []
    })
  }

  return { noteHeard, heardBefore }
}

/** A notification: messages with type, LOID and, for an event, its id. */
const Notification = z.array(z.tuple([z.string(), z.nullable(z.string()), z.nullable(z.string())]))
type Told = z.infer<typeof Notification>[number]

/** Formats messages as server-sent events, without the messages that the person must not see. */
function textOf(told: readonly Told[], hearing: Hearing, nowMs: number): string {
  let text = ''
  for (const [type, loid, id] of told) {
    const at = id === null ? new Date(nowMs).toISOString() : timeOfId(id)
    const message = liveMessage(type, loid, at)
    if (!message || !mayHear(hearing, message)) continue
    text += `${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`
  }
  return text
}

function addTo(groups: Map<string, Set<Stream>>, key: string, stream: Stream): void {
  const group = groups.get(key)
  if (group) group.add(stream)
  else groups.set(key, new Set([stream]))
}

function removeFrom(groups: Map<string, Set<Stream>>, key: string, stream: Stream): void {
  const group = groups.get(key)
  group?.delete(stream)
  if (group?.size === 0) groups.delete(key)
}
