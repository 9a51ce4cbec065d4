import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'

/** The log of a process. */
export function openLog(level: LevelWithSilent, destination?: DestinationStream): Logger {
  return pino({ level, serializers: { err: readableError } }, destination)
}

/**
 * What went wrong and where, those that caused it included. Whatever else hangs on an error stays out: with PostgreSQL's
 * that is the row which it refused or the whole connection, with a URL's the text that was none.
 */
function readableError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { type, message, stack } = pino.stdSerializers.err(error)
  return { type, message, stack, ...('code' in error && { code: error.code }) }
}
