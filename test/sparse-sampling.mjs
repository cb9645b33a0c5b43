// Preloaded (node --import) into processes of tests. To measure the lag of its event loop, each wakes a hundred times a
// second; a dozen of them that wait are 5 % of a machine with two cores.
import { syncBuiltinESMExports } from 'node:module';
import performance from 'node:perf_hooks';

const { monitorEventLoopDelay } = performance;
performance.monitorEventLoopDelay = () => monitorEventLoopDelay({ resolution: 1000 });
syncBuiltinESMExports();
