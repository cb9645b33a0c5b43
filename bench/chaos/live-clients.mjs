// Plain Socket.IO clients whose connections end while Postgres is gone for 20 s: whether any of them is refused, and
// how soon after Postgres returns they are connected.
//   node bench/chaos/live-clients.mjs
import { setTimeout as delay } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { until, withDeployment } from './deployment.mjs';

const GONE_MS = 20_000;

await withDeployment({}, async ({ env, apis: [api], postgres }) => {
  const refusals = [];
  const sockets = ['websocket', 'polling'].map((transport) =>
    io(api.url, { auth: { token: env.TOOLMARK_ADMIN_TOKEN }, transports: [transport], forceNew: true }).on(
      'connect_error',
      ({ message }) => refusals.push(message),
    ),
  );
  const areConnected = () => sockets.every(({ connected }) => connected);
  await until(areConnected, 'the clients to be connected');
  await postgres.kill();
  for (const socket of sockets) socket.io.engine.close();
  await delay(GONE_MS);
  const stillOut = sockets.every(({ connected }) => !connected);
  await postgres.start();
  const began = performance.now();
  await until(areConnected, 'the clients to be back');
  console.log(JSON.stringify({ refusals, stillOut, backMs: Math.round(performance.now() - began) }));
  for (const socket of sockets) socket.disconnect();
});
