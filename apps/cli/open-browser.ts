import { spawn } from 'node:child_process';
import { isTerminal } from './output/terminal.js';

/** Programs that open an address in the user's browser. `start` of Windows belongs to its shell, which this avoids. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether this machine shows a browser to whoever typed the command. */
export function hasBrowser(env: Record<string, string | undefined> = process.env): boolean {
  if (!isTerminal() || env.SSH_CONNECTION || env.CI) return false;
  return process.platform in OPENERS || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Opens a web address, and says nothing if that fails: the address is printed as well. */
export function openBrowser(address: string): void {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return;
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(file, [...args, url.href], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
