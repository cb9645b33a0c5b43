// Preloaded by a test into a process to block its event loop: for BLOCK_MS after SIGWINCH, one of the few signals that
// do not stop Nest, as if one callback took that long.
import { isMainThread } from 'node:worker_threads';

if (isMainThread)
  process.on('SIGWINCH', () => {
    for (const until = performance.now() + Number(process.env.BLOCK_MS); performance.now() < until;);
    console.log('The event loop is free again');
  });
