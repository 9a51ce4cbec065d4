import {
  type Span as OtelSpan,
  trace as otel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import type { Span, SpanStart, Spans, Trace } from './trace.ts'

/** After a stop, spans wait this long for the collector and are then lost. */
const CLOSE_MS_MAX = 2_000
const SUCCESS = 0
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

export interface OpenTelemetry extends Spans {
  /** Sends the remaining spans, but only for a short time. */
  close(): Promise<void>
}

/**
 * Sends spans to a collector by OTLP over HTTP, in batches, without delaying the work. Spans are dropped if the
 * collector does not accept them in time or the queue is full. The SDK reads its own settings from the environment:
 * sampler, queue, headers and the service's name.
 */
export function openTelemetry(endpoint: string, log: Logger): OpenTelemetry {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  // A trace that begins here gets the trace id that is also in the log, the answer or the webhook.
  let wantedTraceId = ''
  const random = new RandomIdGenerator()
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'partner-portal' }))
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: { generateTraceId: () => wantedTraceId, generateSpanId: () => random.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor(tellingOutages(exporter, log))],
  })
  const tracer = provider.getTracer('partner-portal')

  function begin(trace: Trace, { name, kind, attributes = {}, startedAtMs }: SpanStart): Span {
    wantedTraceId = trace.traceId
    const options = { kind: KINDS[kind], attributes, ...(startedAtMs !== undefined && { startTime: startedAtMs }) }
    return spanOf(tracer.startSpan(name, options, contextOf(trace)), trace, kind)
  }

  return {
    begin,
    async close() {
      const isLate = Promise.withResolvers<void>()
      const timer = setTimeout(isLate.resolve, CLOSE_MS_MAX)
      // The log has already said that spans could not be sent.
      await Promise.race([provider.shutdown().catch(() => undefined), isLate.promise])
      clearTimeout(timer)
    },
  }
}

function contextOf({ traceId, parentId, isSampled = true }: Trace) {
  if (!parentId) return ROOT_CONTEXT
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return otel.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags, isRemote: true })
}

function spanOf(span: OtelSpan, { spans }: Trace, kind: SpanStart['kind']): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    trace: { traceId, parentId: spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0, spans },
    answered(status) {
      span.setAttribute('http.response.status_code', status)
      // For a server, refusing a call is not a failure. For the client, the refused call is a failure.
      if (status >= (kind === 'server' ? 500 : 400)) fail(String(status))
    },
    failed: (error) => fail(kindOf(error)),
    end: () => span.end(),
  }

  function fail(type: string): void {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', type)
  }
}

/** The error's code from the system, PostgreSQL or the portal. For an error without a code, the name of its class. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Logs one line when the collector stops accepting spans, and one line when it accepts them again. */
function tellingOutages(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isRefused = result.code !== SUCCESS
        if (isRefused && !isAway) log.warn({ reason: result.error?.message }, 'the collector does not accept traces')
        if (!isRefused && isAway) log.info('the collector accepts traces again')
        isAway = isRefused
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
