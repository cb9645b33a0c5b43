import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  /** The URL of its target, with the proxy's host and port. */
  url: string;
  /** Ends every connection, and immediately any new one. */
  cut(): void;
  /** Connections stay open but carry no data: existing ones for good, new ones until `mend`. */
  silence(): void;
  /** New connections work again. */
  mend(): void;
  close(): void;
}

/**
 * A proxy for the server at `target`. It can fail in both ways of a network: connections end, or go silent.
 * @param spares a connection that has sent these bytes never goes silent
 */
export async function tcpProxy(
  target: URL,
  { port = 0, spares = () => false }: { port?: number; spares?: (bytes: Buffer) => boolean } = {},
): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const spared = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  const server = createServer((socket) => {
    if (state === 'cut') return void socket.destroy();
    const onward = connect(Number(target.port), target.hostname);
    const passes = (): boolean => spared.has(socket) || !silent.has(socket);
    socket.on('data', (bytes) => {
      if (spares(bytes)) spared.add(socket);
      if (passes()) onward.write(bytes);
    });
    onward.on('data', (bytes) => void (passes() && socket.write(bytes)));
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.unref(); // Connections that a failing test leaves open do not keep the process alive.
      open.add(one);
      if (state === 'silent') silent.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one);
          spared.delete(one);
          if (one === socket || passes()) other.end();
        });
    }
  });
  await new Promise<void>((ready, failed) => server.once('error', failed).listen(port, '127.0.0.1', ready));
  server.unref();
  const endAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href,
    cut() {
      state = 'cut';
      endAll();
    },
    silence() {
      state = 'silent';
      for (const socket of open) silent.add(socket);
    },
    mend: () => void (state = 'whole'),
    close() {
      server.close();
      endAll();
    },
  };
}
