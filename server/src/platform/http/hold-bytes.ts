import { Busy } from '../errors.ts'

const MB = 1024 * 1024
const BYTES_MAX = 64 * MB
const OF_CALLER_MAX = 20 * MB

const held = new Map<string, number>()

/**
 * Counts the bytes of a caller's body until the returned function is called. Refuses a body that the process has no room
 * for: neither many bodies nor one that arrives slowly may use up its memory, or keep the bodies of others out.
 */
export function holdBytes(callerId: string, bytes: number): () => void {
  const ofCaller = (held.get(callerId) ?? 0) + bytes
  const ofAll = [...held.values()].reduce((sum, one) => sum + one, bytes)
  if (ofCaller > OF_CALLER_MAX || ofAll > BYTES_MAX) throw new Busy()
  held.set(callerId, ofCaller)
  return () => {
    const left = (held.get(callerId) ?? 0) - bytes
    if (left > 0) held.set(callerId, left)
    else held.delete(callerId)
  }
}
