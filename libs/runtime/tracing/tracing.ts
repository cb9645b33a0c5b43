import type { CollectorAgent, SpanAttributes, TraceSpan, SpanExporter, TracedItem } from './span.js';
import { AsyncLocalStorage } from 'node:async_hooks';
import { readVariable } from '../env.js';

/**
 * The first items of every run are traced, and this share of the rest: the traces of a million items would overwhelm a
 * collector and its readers.
 */
const ALWAYS_TRACED = 100;
const SHARE_OF_THE_REST = 0.01;

let exporter: SpanExporter | undefined;
let ratio: number | undefined;
const current = new AsyncLocalStorage<TraceSpan>();

/** Starts exporting traces if there is a collector. Otherwise it loads nothing. */
export async function startTracing(
  service: string,
  env: { OTEL_EXPORTER_OTLP_ENDPOINT?: string; OTEL_TRACES_SAMPLER_ARG?: number },
  agentFor: (url: string) => CollectorAgent | undefined,
): Promise<void> {
  const url = readVariable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!url) return;
  ratio = env.OTEL_TRACES_SAMPLER_ARG;
  exporter = (await import('./otlp-traces.js')).createOtlpExporter(service, agentFor(url));
}

/** How long an unresponsive collector can delay the end of the process. */
const FLUSH_TIMEOUT_MS = 3000;

/** Exports the remaining spans. */
export async function stopTracing(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref());
  await Promise.race([exporter?.close().catch(() => {}), late]);
}

export const traceSubmit = (runId: string, startedAtMs: number, attributes: SpanAttributes): void =>
  exporter?.submitSpan(runId, startedAtMs, attributes);

/**
 * Whether an item is traced. The decision is the same in every process. Multiples of the golden ratio spread the traced
 * items evenly over cases and samples.
 */
export function isTraced(item: number, share: number | undefined): boolean {
  if (share === undefined && item < ALWAYS_TRACED) return true;
  return ((item + 1) * 0.6180339887498949) % 1 < (share ?? SHARE_OF_THE_REST);
}

/** Runs `work` in a span of the item, if the item is traced. */
export function traceItem<Result>(
  item: TracedItem,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!exporter || !isTraced(item.item, ratio)) return work();
  const span = exporter.startItem(item, attributes);
  return current.run(span, () => endSpanAfter(span, work));
}

/**
 * Runs `work` in a child span of the current item, if that is traced. `work` receives a function that adds attributes.
 */
export function traceStep<Result>(
  name: string,
  attributes: SpanAttributes,
  work: (note: (attributes: SpanAttributes) => void) => Promise<Result>,
): Promise<Result> {
  const parent = current.getStore();
  if (!parent) return work(ignoreAttributes);
  const span = parent.child(name, attributes);
  return endSpanAfter(span, () => work((more) => span.setAttributes(more)));
}
const ignoreAttributes = (): void => {};

async function endSpanAfter<Result>(span: TraceSpan, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
