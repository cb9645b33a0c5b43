import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of this process, in one registry; `docs/metrics.md` says what each answers. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });
