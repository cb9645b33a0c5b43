import type { z } from 'zod';

/** A kind of parent: what makes runs and decides by them. What everyone knows of it; its steps are in the worker. */
export interface OrchestrationKind {
  /** Of its jobs. */
  type: string;
  /** What its job leads to, and the field that names it. */
  result: string;
  ref: string;
  /** The events of its log, by name, in the order in which they occur. */
  events: Record<string, z.ZodType>;
  /** The tables whose rows go with it: their names, the column that names it, and the rest of their key. */
  rows: readonly (readonly [table: string, parent: string, key: string])[];
}
