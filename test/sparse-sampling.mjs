// Preloaded (node --import) into processes of tests. Each wakes a hundred times a second to measure its event loop lag,
// which takes 0.7 % of a core, and a dozen of them idle during each test.
import { syncBuiltinESMExports } from 'node:module';
import performance from 'node:perf_hooks';

const { monitorEventLoopDelay } = performance;
performance.monitorEventLoopDelay = () => monitorEventLoopDelay({ resolution: 1000 });
syncBuiltinESMExports();
