import { once } from 'node:events';
import { createServer } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** The registry of all metrics of this process. `docs/metrics.md` documents each of them. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });

const NAME_OF_LANE = /,?lane_name="(?:[^"\\\n]|\\.)*"/g;

/**
 * Metrics for a port that the public reaches: without the names of lanes, which belong to teams. Their ids tell the
 * series apart.
 */
export const withoutNames = (text: string): string => text.replace(NAME_OF_LANE, '');

/** Scrapers are few; whoever opens more gets no answer. */
const MOST_CONNECTIONS = 100;

/**
 * Serves `/metrics`, and nothing else, on a port of their own until the process exits. Scrapes at once share an answer.
 * @throws if the port is taken
 */
export async function serveMetrics(read: () => Promise<Buffer | string>, port: number, host: string): Promise<void> {
  let reading: Promise<Buffer | string> | undefined;
  const server = createServer(({ method, url = '' }, response) => {
    if (method !== 'GET' || url.split('?')[0] !== '/metrics') return void response.writeHead(404).end();
    reading ??= read().finally(() => (reading = undefined));
    reading.then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host).unref();
  await once(server, 'listening');
}
