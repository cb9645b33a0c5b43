import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { ApiClient, ApiError } from '#lib/client/api-client';
import type { DeviceLogin as DeviceLoginSchema, DeviceToken as DeviceTokenSchema } from '#lib/contracts/people';
import { NegativeAnswer } from './exit-codes.js';
import { hasBrowser, openBrowser } from './open-browser.js';
import { openStatusArea, printError } from './output/terminal.js';

type DeviceLogin = z.infer<typeof DeviceLoginSchema>;
export type DeviceToken = z.infer<typeof DeviceTokenSchema>;

const MAX_NAME = 80;
const MAX_WAIT_S = 3600;
/** How much slower to ask after each answer that it was too soon (RFC 8628). */
const SLOWER_MS = 5000;

/** Shows a code, and waits until somebody has approved it in a browser. Ctrl+C ends the command as usual. */
export async function logInByBrowser(server: string): Promise<DeviceToken> {
  const client = new ApiClient(server);
  const login = await client
    .call<DeviceLogin>('POST', '/api/device-logins', { name: hostname().slice(0, MAX_NAME) || 'unnamed host' })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError && error.problem.status === 404)) throw error;
      throw new Error(`${server} is of a release before logins by browser. Give a token: toolmark login --with-token`);
    });
  const address = new URL(login.url, server).href;
  const opens = hasBrowser();
  printError(
    opens ? 'Your browser opens this address:' : 'Open this address in a browser, on any machine:',
    '',
    `  ${address}`,
    '',
    `Approve the login there if it shows the code ${login.user_code}.`,
  );
  if (opens) openBrowser(address);
  return untilApproved(client, login);
}

async function untilApproved(client: ApiClient, login: DeviceLogin): Promise<DeviceToken> {
  const endMs = performance.now() + Math.min(login.expires_in_s, MAX_WAIT_S) * 1000;
  const countdown = showCountdown(endMs);
  let intervalMs = Math.max(1, login.interval_s) * 1000;
  try {
    for (;;) {
      await delay(Math.min(intervalMs, Math.max(0, endMs - performance.now())));
      if (performance.now() >= endMs) throw new NegativeAnswer('Nobody approved the login in time.');
      try {
        return await client.call('POST', '/api/device-logins/token', { device_code: login.device_code });
      } catch (error) {
        const answer = stillWaits(error);
        if (answer === 'slow_down') intervalMs += SLOWER_MS;
        countdown.note(answer === 'unreachable' ? ' The server cannot be reached at the moment.' : '');
      }
    }
  } finally {
    countdown.end();
  }
}

/** Why to ask again. @throws the error when that makes no sense */
function stillWaits(error: unknown): 'pending' | 'slow_down' | 'unreachable' {
  if (!(error instanceof ApiError)) return 'unreachable';
  const { code, status } = error.problem;
  if (code === 'authorization_pending') return 'pending';
  if (code === 'slow_down' || status === 429) return 'slow_down';
  if (status >= 500) return 'unreachable';
  throw error;
}

interface Countdown {
  /** Says something behind the time that is left. */
  note(text: string): void;
  end(): void;
}

function showCountdown(endMs: number): Countdown {
  const area = openStatusArea();
  if (!area) {
    printError(`Waiting for ${timeLeft(endMs)} minutes.`);
    return { note: () => {}, end: () => {} };
  }
  let noted = '';
  const show = (): void => area.show(() => [`Waiting: ${timeLeft(endMs)} left. Ctrl+C ends it.${noted}`]);
  show();
  const timer = setInterval(show, 1000);
  return {
    note(text) {
      noted = text;
      show();
    },
    end() {
      clearInterval(timer);
      area.clear();
    },
  };
}

function timeLeft(endMs: number): string {
  const seconds = Math.max(0, Math.round((endMs - performance.now()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
