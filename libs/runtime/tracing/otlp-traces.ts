import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  TracerProvider,
  type IdGenerator,
} from '@opentelemetry/sdk-trace';
import type { SpanAttributes, TraceSpan, SpanExporter } from './tracing.js';

/**
 * A run's id is its trace's id, without the dashes, and its second half that of the span of the submit: nothing has
 * to be handed on.
 */
const traceIdOf = (runId: string): string => runId.replaceAll('-', '');
const submitSpanIdOf = (runId: string): string => traceIdOf(runId).slice(16);

/** Random ids, but for a span that is the first of a run. */
class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  runId: string | undefined;
  generateTraceId = (): string => (this.runId ? traceIdOf(this.runId) : this.#random.generateTraceId());
  generateSpanId = (): string => (this.runId ? submitSpanIdOf(this.runId) : this.#random.generateSpanId());
}

/** Sends spans to the collector that the environment names (OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, ...), in batches. */
export function createOtlpExporter(service: string): SpanExporter {
  const ids = new Ids();
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(), // what is worth a span is decided before there is one
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('toolmark');
  return {
    submitSpan(runId, startTime, facts) {
      ids.runId = runId;
      try {
        tracer
          .startSpan('submit run', {
            root: true,
            startTime,
            kind: SpanKind.SERVER,
            attributes: said({ 'toolmark.run': runId, ...facts }),
          })
          .end();
      } finally {
        ids.runId = undefined;
      }
    },
    startItem({ runId, target, item }, facts) {
      const parent = trace.setSpanContext(ROOT_CONTEXT, {
        traceId: traceIdOf(runId),
        spanId: submitSpanIdOf(runId),
        traceFlags: TraceFlags.SAMPLED,
        isRemote: true,
      });
      const attributes = said({ 'toolmark.run': runId, 'toolmark.target': target, 'toolmark.item': item, ...facts });
      return open(tracer, tracer.startSpan('item', { kind: SpanKind.CONSUMER, attributes }, parent), parent);
    },
    close: () => provider.shutdown(),
  };
}

function open(tracer: Tracer, span: Span, context: Context): TraceSpan {
  const inside = trace.setSpan(context, span);
  return {
    setAttributes: (facts) => void span.setAttributes(said(facts)),
    child: (name, facts) =>
      open(
        tracer,
        tracer.startSpan(
          name,
          { kind: 'gen_ai.operation.name' in facts ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: said(facts) },
          inside,
        ),
        inside,
      ),
    end(error) {
      if (error !== undefined) {
        // The kind alone: messages may quote what was sent.
        const { kind, status, constructor } = error as {
          kind?: string;
          status?: number;
          constructor: { name: string };
        };
        span.setAttributes(said({ 'error.type': kind ?? constructor.name, 'http.response.status_code': status }));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

const said = (facts: SpanAttributes) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)) as Record<
    string,
    string | number | boolean | string[]
  >;
