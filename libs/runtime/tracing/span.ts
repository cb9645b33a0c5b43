import type { Agent } from 'node:http';

/** The attributes of a span. Never a prompt, a reply or a key, which readers of traces may not be allowed to see. */
export type SpanAttributes = Record<string, string | number | boolean | string[] | null | undefined>;

/** The item of a run that a trace is about. */
export interface TracedItem {
  runId: string;
  target: number;
  item: number;
}

/** A span that can have child spans. */
export interface TraceSpan {
  setAttributes(attributes: SpanAttributes): void;
  child(name: string, attributes: SpanAttributes): TraceSpan;
  end(error?: unknown): void;
}

/** Exports spans. `otlp-traces.ts` implements it, and is only loaded if there is a collector. */
export interface SpanExporter {
  /** Exports the root span of a run. */
  submitSpan(runId: string, startedAtMs: number, attributes: SpanAttributes): void;
  startItem(item: TracedItem, attributes: SpanAttributes): TraceSpan;
  close(): Promise<void>;
}

/** The agent of requests to the collector. @param protocol `http:` or `https:` */
export type CollectorAgent = (protocol: string) => Agent;
