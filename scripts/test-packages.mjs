// Finds the programs that tests use, or installs their Debian packages as root; fails if one is missing.
import { findChromium } from './chromium.mjs';
import { findRedis } from './redis.mjs';

const [redis, chromium] = [findRedis(console.log), findChromium(console.log)];
console.log(redis);
console.log(chromium ?? 'There is no Chromium. Install chromium or google-chrome, or set TOOLMARK_CHROMIUM.');
process.exitCode = chromium ? 0 : 1;
