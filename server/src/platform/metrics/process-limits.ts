import { readFile, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import type { Settings } from '../config.ts'

/** What the operating system allows this process, and the number of callers that fits into it. */
export interface ProcessLimits {
  /** Undefined on a system without `/proc`. */
  descriptors: number | undefined
  /** The limit of the container, or else the machine's memory. */
  memoryBytes: number
  connectionsMax: number
}

/** Files, the outbox, calls to the CRM and to endpoints, and PostgreSQL's connections beside the pools. */
const OTHER_DESCRIPTORS = 100
/** The pools for pages, for jobs and for the replica together, for each connection of `DATABASE_POOL`. */
const POOLED = 3
/** A connection takes 20 to 60 kB, most of it in the kernel. Callers may take half of the memory. */
const CONNECTION_BYTES = 64 * 1_024
const CONNECTIONS_MIN = 10

/** Reads the limits. Call it once, at the start: Node has then raised its limit as far as the system allows. */
export async function readProcessLimits(
  settings: Pick<Settings, 'connectionsMax' | 'databasePool'>,
): Promise<ProcessLimits> {
  const descriptors = await readDescriptorLimit()
  const memoryBytes = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  const fitting = [
    settings.connectionsMax,
    (descriptors ?? Number.POSITIVE_INFINITY) - OTHER_DESCRIPTORS - POOLED * settings.databasePool,
    Math.floor(memoryBytes / 2 / CONNECTION_BYTES),
  ]
  return { descriptors, memoryBytes, connectionsMax: Math.max(CONNECTIONS_MIN, Math.min(...fitting)) }
}

/** The bytes that are free on the disk of a folder. Undefined if the folder does not exist. */
export async function readFreeBytes(folder: string): Promise<number | undefined> {
  const disk = await statfs(folder).catch(() => undefined)
  return disk && disk.bavail * disk.bsize
}

async function readDescriptorLimit(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft ? Number(soft) : undefined
}
