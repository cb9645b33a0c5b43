import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import type { CollectorAgent, SpanAttributes, TraceSpan, SpanExporter } from './span.js';

/**
 * The id of a run, without its dashes, is the id of its trace, and the second half the id of its root span. So
 * processes do not have to pass them on.
 */
const traceIdOf = (runId: string): string => runId.replaceAll('-', '');
const submitSpanIdOf = (runId: string): string => traceIdOf(runId).slice(16);

/** Random ids, except for the root span of a run. */
class RunIdGenerator implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  runId: string | undefined;
  generateTraceId = (): string => (this.runId ? traceIdOf(this.runId) : this.#random.generateTraceId());
  generateSpanId = (): string => (this.runId ? submitSpanIdOf(this.runId) : this.#random.generateSpanId());
}

/**
 * Sends spans in batches to the collector of the environment (OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, ...).
 * @param agentFor replaces Node's agent
 */
export function createOtlpExporter(service: string, agentFor: CollectorAgent | undefined): SpanExporter {
  const ids = new RunIdGenerator();
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(), // `isTraced` decides before there is a span
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ httpAgentOptions: agentFor }) })],
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
            attributes: withoutEmpty({ 'toolmark.run': runId, ...facts }),
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
      const attributes = withoutEmpty({
        'toolmark.run': runId,
        'toolmark.target': target,
        'toolmark.item': item,
        ...facts,
      });
      return toTraceSpan(tracer, tracer.startSpan('item', { kind: SpanKind.CONSUMER, attributes }, parent), parent);
    },
    close: () => provider.shutdown(),
  };
}

function toTraceSpan(tracer: Tracer, span: Span, context: Context): TraceSpan {
  const inside = trace.setSpan(context, span);
  return {
    setAttributes: (facts) => void span.setAttributes(withoutEmpty(facts)),
    child: (name, facts) =>
      toTraceSpan(
        tracer,
        tracer.startSpan(
          name,
          {
            kind: 'gen_ai.operation.name' in facts ? SpanKind.CLIENT : SpanKind.INTERNAL,
            attributes: withoutEmpty(facts),
          },
          inside,
        ),
        inside,
      ),
    end(error) {
      if (error !== undefined) {
        // Only the kind: messages may quote the request.
        const { kind, status, constructor } = error as {
          kind?: string;
          status?: number;
          constructor: { name: string };
        };
        span.setAttributes(
          withoutEmpty({ 'error.type': kind ?? constructor.name, 'http.response.status_code': status }),
        );
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

const withoutEmpty = (facts: SpanAttributes) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)) as Record<
    string,
    string | number | boolean | string[]
  >;
