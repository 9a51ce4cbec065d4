import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'
import * as z from 'zod/mini'
import { currentTrace } from './trace.ts'

/** How many bytes of lines can wait for the disk. Further lines are lost. */
const WAITING_BYTES_MAX = 1024 * 1024
/** A line waits this long for other lines, because writing each line separately costs as much as reading a lead. */
const WAITING_MS_MAX = 50
/** Once the waiting lines have this many bytes, they are written at once. */
const TOGETHER_BYTES = 8 * 1024

/** Opens the output of the log: JSON in production, and lines that are easy to read in development. */
export async function openLogOutput(isProduction: boolean): Promise<DestinationStream> {
  const options = { sync: false, minLength: TOGETHER_BYTES, maxLength: WAITING_BYTES_MAX }
  const output = flushing(surviving(pino.destination(options)))
  if (isProduction) return output
  // pino-pretty's own stream would pass each line through two more streams.
  const { prettyFactory } = await import('pino-pretty')
  const readable = prettyFactory({
    colorize: process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    ignore: 'pid,hostname,reqId,trace,method,path,status,ms,ip',
    messageFormat: readableMessage,
  })
  return { write: (line) => output.write(readable(line)) }
}

type Output = ReturnType<typeof pino.destination>

/**
 * On a full disk, lines are lost, but no request fails and the process does not end. Without this function, the log's
 * destination would throw an error, and would try forever to write its last lines at the end of the process.
 */
function surviving(output: Output): Output {
  const flushSync = output.flushSync.bind(output)
  let hasRoom = true
  output.on('error', () => (hasRoom = false)).on('write', () => (hasRoom = true))
  return Object.assign(output, { flushSync: () => hasRoom && flushSync() })
}

/** Writes waiting lines after `WAITING_MS_MAX`. */
function flushing(output: Output): Output {
  const write = output.write.bind(output)
  let timer: NodeJS.Timeout | undefined
  return Object.assign(output, {
    write(line: string) {
      timer ??= setTimeout(() => {
        timer = undefined
        output.flush()
      }, WAITING_MS_MAX).unref()
      return write(line)
    },
  })
}

function readableMessage(line: Record<string, unknown>): string {
  const { msg, method, path, status, ms } = Line.parse(line)
  if (msg === 'answered') return `${method} ${path} ${status} in ${ms} ms`
  return path === undefined ? msg : `${msg} (${path})`
}

const Line = z.object({
  msg: z._default(z.string(), ''),
  method: z.optional(z.string()),
  path: z.optional(z.string()),
  status: z.optional(z.number()),
  ms: z.optional(z.number()),
})

/** The log of a process. */
export function openLog(level: LevelWithSilent, destination?: DestinationStream): Logger {
  return pino({ level, serializers: { err: readableError }, mixin: traceOfLine }, destination)
}

/** Adds the trace's id to the lines of a request or job. The same id marks lines that belong together. */
function traceOfLine(): object {
  const trace = currentTrace()
  return trace ? { trace: trace.traceId } : {}
}

/**
 * The message and stack of an error and of its causes, and the error's own code. Other properties are left out: a
 * PostgreSQL error contains the refused row or the whole connection, and a URL error contains the invalid text.
 */
function readableError(error: unknown) {
  if (typeof error !== 'object' || error === null) return { message: String(error) }
  const code = 'code' in error && { code: error.code }
  if (error instanceof Error) {
    const { type, stack } = pino.stdSerializers.err(error)
    return { type, message: messageOf(error), stack, ...code }
  }
  // The job queue reports errors as plain objects.
  const message = 'message' in error ? String(error.message) : 'no message'
  const stack = 'stack' in error && { stack: error.stack }
  const queue = 'queue' in error && { queue: error.queue }
  return { message, ...stack, ...code, ...queue }
}

/**
 * The message of an error. An error that groups several errors, such as a connection refused at each of two addresses,
 * can have an empty message.
 */
function messageOf(error: Error): string {
  if (!(error instanceof AggregateError) || error.message !== '') return pino.stdSerializers.err(error).message
  return error.errors.map((one) => (one instanceof Error ? one.message : String(one))).join('; ')
}
