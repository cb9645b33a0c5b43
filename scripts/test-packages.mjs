// Finds the programs that tests use, or installs their Debian packages as root; fails if one is missing.
import { findChromium } from './chromium.mjs';
import { findPgBouncer } from './pgbouncer.mjs';
import { findRedis } from './redis.mjs';
import { findTinyproxy } from './tinyproxy.mjs';

const [redis, chromium] = [findRedis(console.log), findChromium(console.log)];
console.log(redis);
console.log(chromium ?? 'There is no Chromium. Install chromium or google-chrome, or set TOOLMARK_CHROMIUM.');
const pgbouncer = findPgBouncer(console.log);
if (pgbouncer) console.log(pgbouncer.join(' '));
const tinyproxy = findTinyproxy(console.log);
console.log(tinyproxy ?? 'There is no tinyproxy.');
process.exitCode = chromium && pgbouncer && tinyproxy ? 0 : 1;
