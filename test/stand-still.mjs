// Preloaded by a test into a process whose event loop is to stand: for STAND_MS after SIGWINCH, one of the few signals
// that Nest does not stop at, as if one callback took so long.
import { isMainThread } from 'node:worker_threads';

if (isMainThread)
  process.on('SIGWINCH', () => {
    for (const until = performance.now() + Number(process.env.STAND_MS); performance.now() < until;);
    console.log('The event loop turns again');
  });
