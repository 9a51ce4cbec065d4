import { EventSourceParserStream } from 'eventsource-parser/stream'

/** The messages of a stream until it ends. The stream is left when nobody reads any further. */
export async function* messagesOf({ body }: Response) {
  if (!body) return
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
}
