import { collectDefaultMetrics, Registry } from 'prom-client';

/** The registry of all metrics of this process. `docs/metrics.md` documents each of them. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });
