import { EventSourceParserStream } from 'eventsource-parser/stream'

/** Yields the messages of a stream until it ends. If the caller stops reading, the stream is cancelled. */
export async function* messagesOf({ body }: Response) {
  if (!body) return
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
}
