import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';
import { registry } from '#lib/runtime/metrics';

const duration = new Histogram({
  name: 'toolmark_http_request_seconds',
  help: 'Time from the first byte of a request to the last byte of its response, by route template.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
  registers: [registry],
});

export function measureRequests(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    duration.observe(
      { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    done();
  });
}
