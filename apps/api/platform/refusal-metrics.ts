import { Counter } from 'prom-client';
import { registry } from '#lib/runtime/metrics';

const refusals = new Counter({
  name: 'toolmark_refused_requests_total',
  help: 'Requests, sockets and packets refused for their credential or for a limit of callers, by reason.',
  labelNames: ['reason'],
  registers: [registry],
});

/** @param reason `wrong_credential`, or the name of a limit */
export const countRefusal = (reason: string): void => refusals.inc({ reason });
