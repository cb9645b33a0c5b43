import { Counter, Gauge } from 'prom-client';
import type { Server, Socket } from 'socket.io';
import { registry } from '#lib/runtime/metrics';

/** A packet that was given to a connection and waits there until those before it are written. */
interface Waiting {
  data?: string | Buffer;
  options?: { wsPreEncodedFrame?: Buffer[] };
}
/** What Socket.IO knows of a connection and does not say in its types. */
interface Connection {
  writeBuffer?: Waiting[];
  transport?: { socket?: { bufferedAmount?: number } };
}
const connectionOf = (socket: Socket): Connection => socket.conn as unknown as Connection;

export const waitingPackets = (socket: Socket): Waiting[] => connectionOf(socket).writeBuffer ?? [];

const bytesOf = ({ data, options }: Waiting): number =>
  options?.wsPreEncodedFrame?.reduce((sum, part) => sum + part.length, 0) ?? data?.length ?? 0;

/** Which part of live reading failed; the log says whose. */
export type LiveStep = 'packet' | 'connect' | 'job' | 'jobs' | 'teams' | 'tokens' | 'send';

/** The server whose connections are measured: the newest of this process. */
let measured: Server | undefined;
const sockets = (): Socket[] => [...(measured?.sockets.sockets.values() ?? [])];

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
  help: 'What is kept for live connections whose clients do not read it yet; those that watch the same share it.',
  registers: [registry],
  collect() {
    const perSocket = sockets().map(
      (socket) =>
        (connectionOf(socket).transport?.socket?.bufferedAmount ?? 0) +
        waitingPackets(socket).reduce((sum, packet) => sum + bytesOf(packet), 0),
    );
    this.set(perSocket.reduce((sum, bytes) => sum + bytes, 0));
  },
});
const failures = new Counter({
  name: 'toolmark_live_failures_total',
  help: 'Live reading that failed, by step; each is repeated.',
  labelNames: ['step'],
  registers: [registry],
});

/** @returns counts a failure */
export function measureLive(io: Server): (step: LiveStep) => void {
  measured = io;
  return (step) => failures.inc({ step });
}
