// Several workers of a build in one process: their whole life cycle, without HTTP.
//   host.mjs <folder of the build> <workers>
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [build, count] = process.argv.slice(2);
const load = (module) => import(pathToFileURL(join(build, 'dist', `${module}.js`)).href);
const [{ WorkerProcess }, { readEnv }, { createLogger }] = await Promise.all(
  ['apps/worker/worker-process', 'libs/runtime/env', 'libs/runtime/logger'].map(load),
);

process.on('disconnect', () => process.exit(0)); // The benchmark has ended.
EventEmitter.defaultMaxListeners = 1000;
const env = readEnv();
const logger = createLogger('worker', env.LOG_LEVEL);
for (let n = 0; n < Number(count); n++) await new WorkerProcess(env, logger).onApplicationBootstrap();
process.send('ready');
