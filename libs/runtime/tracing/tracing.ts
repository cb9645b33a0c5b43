import { AsyncLocalStorage } from 'node:async_hooks';

/** What a span says. Never a prompt, a reply or a key: whoever reads traces may not be allowed to read those. */
export type SpanAttributes = Record<string, string | number | boolean | string[] | null | undefined>;

/** An item of a run, as traces tell it apart. */
export interface TracedItem {
  runId: string;
  target: number;
  item: number;
}

/** A span under which others can be put. */
export interface TraceSpan {
  setAttributes(facts: SpanAttributes): void;
  child(name: string, facts: SpanAttributes): TraceSpan;
  end(error?: unknown): void;
}

/** Where spans go: `otlp-traces.ts`, loaded only when there is a collector. */
export interface SpanExporter {
  /** The span that all others of a run hang under. */
  submitSpan(runId: string, startedAtMs: number, facts: SpanAttributes): void;
  startItem(item: TracedItem, facts: SpanAttributes): TraceSpan;
  close(): Promise<void>;
}

/**
 * Traced in every run; of what comes after, this share. A run of a million items would drown a collector, and its
 * reader.
 */
const ALWAYS_TRACED = 100;
const SHARE_OF_THE_REST = 0.01;

let sink: SpanExporter | undefined;
let ratio: number | undefined;
const current = new AsyncLocalStorage<TraceSpan>();

/** Sends traces from now on if there is a collector; else nothing of it is even loaded. */
export async function startTracing(
  service: string,
  env: { OTEL_EXPORTER_OTLP_ENDPOINT?: string; OTEL_TRACES_SAMPLER_ARG?: number },
): Promise<void> {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT) return;
  ratio = env.OTEL_TRACES_SAMPLER_ARG;
  sink = (await import('./otlp-traces.js')).createOtlpExporter(service);
}

/** Sends what is left; a collector that is gone delays the end by no more than this. */
const PATIENCE_MS = 3000;
export async function stopTracing(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  await Promise.race([sink?.close().catch(() => {}), late]);
}

export const traceSubmit = (runId: string, startedAtMs: number, facts: SpanAttributes): void =>
  sink?.submitSpan(runId, startedAtMs, facts);

/**
 * Whether an item is traced. The same item always is or is not, whoever works on it; multiples of the golden ratio
 * spread evenly, over cases as well as samples.
 */
export function isTraced(item: number, share: number | undefined): boolean {
  if (share === undefined && item < ALWAYS_TRACED) return true;
  return ((item + 1) * 0.6180339887498949) % 1 < (share ?? SHARE_OF_THE_REST);
}

/** Does `work` under a span of the item's own, if it is one of those that are traced. */
export function traceItem<Result>(
  item: TracedItem,
  facts: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!sink || !isTraced(item.item, ratio)) return work();
  const span = sink.startItem(item, facts);
  return current.run(span, () => ended(span, work));
}

/**
 * Does `work` under a span below the one of the item that is worked on, if that is traced. `note` adds what comes
 * out.
 */
export function traceStep<Result>(
  name: string,
  facts: SpanAttributes,
  work: (note: (facts: SpanAttributes) => void) => Promise<Result>,
): Promise<Result> {
  const parent = current.getStore();
  if (!parent) return work(ignore);
  const span = parent.child(name, facts);
  return ended(span, () => work((more) => span.setAttributes(more)));
}
const ignore = (): void => {};

async function ended<Result>(span: TraceSpan, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
