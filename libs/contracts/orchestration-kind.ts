import type { z } from 'zod';
import type { OrchestrationType } from './values/jobs.js';

/**
 * A kind of parent job, which creates runs and decides by their results. This is its shared description; its steps are
 * in the worker.
 */
export interface OrchestrationKind {
  /** The type of its jobs. */
  type: OrchestrationType;
  /** The result of its job, and the field that names it. */
  result: string;
  ref: string;
  /** The events of its log, by name, in the order in which they occur. */
  events: Record<string, z.ZodType>;
  /** Tables with rows that belong to it: the table name, the column that references it, and the rest of the key. */
  rows: readonly (readonly [table: string, parent: string, key: string])[];
}
