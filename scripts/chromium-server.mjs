// The browser that all tests share. Prints the address to connect to, and exits at the end of its input.
import { chromium } from 'playwright-core';

// Without a GPU, emulating one would only cost time.
const server = await chromium.launchServer({
  executablePath: process.env.TOOLMARK_CHROMIUM,
  args: ['--disable-gpu', '--disable-software-rasterizer'],
});
process.stdin.resume().once('end', () => void server.close().then(() => process.exit(0)));
console.log(server.wsEndpoint());
