import { collectDefaultMetrics, Registry } from 'prom-client';

/** The registry of all metrics of this process. `docs/metrics.md` says what each one answers. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });
