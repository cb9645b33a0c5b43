import { Counter, Gauge } from 'prom-client';
import type { Server } from 'socket.io';
import { registry } from '#lib/runtime/metrics';
import type { LiveSocket } from './connection.js';

/** The part of the live server that failed; the log says for whom. */
export type LiveStep = 'packet' | 'connect' | 'job' | 'jobs' | 'teams' | 'tokens' | 'send';

/** The server whose connections are measured: the newest of this process. */
let measured: Server | undefined;
const sockets = (): LiveSocket[] => [...(measured?.sockets.sockets.values() ?? [])];

new Gauge({
  name: 'toolmark_live_connections',
  help: 'Live connections (Socket.IO).',
  registers: [registry],
  collect() {
    this.set(sockets().length);
  },
});
new Gauge({
  name: 'toolmark_live_unsent_bytes',
  help: 'Bytes sent to live connections that clients have not read yet.',
  registers: [registry],
  collect() {
    this.set(sockets().reduce((sum, { data }) => sum + data.unsent.bytes, 0));
  },
});
const failures = new Counter({
  name: 'toolmark_live_failures_total',
  help: 'Failures of live reading and sending, by step. Each step is retried.',
  labelNames: ['step'],
  registers: [registry],
});

/** @returns a function that counts a failure */
export function measureLive(io: Server): (step: LiveStep) => void {
  measured = io;
  return (step) => failures.inc({ step });
}
