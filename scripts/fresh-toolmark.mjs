// `npm start` in a clean environment: a new data folder, free ports, none of the shell's stores and keys.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiClient } from './demo.mjs';
import { until } from './server-process.mjs';
import { root } from './set-up.mjs';

const { DATABASE_URL: _, REDIS_URL: __, TOOLMARK_ADMIN_TOKEN: ___, OPENAI_API_KEY: ____, ...inherited } = process.env;

/** @returns a new data folder that Postgres can enter as another user */
export function freshFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-fresh-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** Starts Toolmark with the data in `folder`, and waits until it is ready. It ends with this process. */
export async function startToolmark(folder, given = {}) {
  const startedAt = Date.now();
  let text = '';
  // In a separate process group, so that only npm gets the signals, as from a service manager.
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...inherited, TOOLMARK_DATA_DIR: folder, PORT: '0', ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  process.on('exit', () => child.kill('SIGTERM'));
  const ended = new Promise((resolve) => child.once('close', resolve));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  const isReady = () => text.includes('Ctrl-C stops everything') || child.exitCode !== null;
  await until(isReady, 300_000);
  assert.match(text, /Toolmark is ready/, `npm start becomes ready:\n${text}`);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const { url } = JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8'));
  const token = given.TOOLMARK_ADMIN_TOKEN ?? readFileSync(join(folder, 'admin-token'), 'utf8').trim();
  const stop = async (signal) => {
    child.kill(signal);
    assert.equal(await ended, 0, `npm start ends with 0 after ${signal}.`);
  };
  return { text, seconds, url, token, call: apiClient(url, token), port: Number(new URL(url).port), ended, stop };
}
