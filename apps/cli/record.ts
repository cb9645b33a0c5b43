import { createReadStream, statSync } from 'node:fs';
import { Transform } from 'node:stream';
import type { ApiClient } from '#lib/client/api-client';
import { sendStream } from '#lib/client/send-stream';
import { follow, suiteOf } from './run.js';
import { drawing, say, tell } from './terminal.js';
import type { Options } from './main.js';

const DRAWN_EVERY_BYTES = 2 ** 20;

interface Recorded {
  job_id: string;
  eval_id: string;
  replies: number;
  warnings: string[];
}

/** Makes a run of replies that were made elsewhere, out of a file or what comes in. */
export async function record(client: ApiClient, [suite]: string[], options: Options): Promise<void> {
  const { target, in: file } = options;
  if (!suite || !target) throw new Error('toolmark record SUITE --target NAME [--in FILE] [--watch]');
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file !== undefined && !found) throw new Error(`No file "${file}" to record.`);
  const { suiteId, forget } = await suiteOf(client, suite);
  const terminal = drawing();
  let [bytes, drawn] = [0, -Infinity];
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes - drawn >= DRAWN_EVERY_BYTES) {
        drawn = bytes;
        terminal?.show(() => [
          found?.isFile() ? `${Math.floor((100 * bytes) / found.size)} % sent` : `${Math.round(bytes / 1e6)} MB sent`,
        ]);
      }
      done(null, chunk);
    },
  });
  const source = file === undefined ? process.stdin : createReadStream(file);
  source.on('error', (error: Error) => counted.destroy(error));
  const query = new URLSearchParams({ suite_id: suiteId, target_name: target });
  const made = await sendStream<Recorded>(
    client,
    `/api/tool-eval/recorded?${query}`,
    'application/x-ndjson',
    source.pipe(counted),
    found?.isFile() ? found.size : undefined,
  ).catch(async (error: Error) => {
    source.destroy();
    terminal?.clear();
    await forget();
    throw error;
  });
  terminal?.clear();
  if (!options.json) {
    say(`Recorded ${made.replies} replies.`);
    for (const warning of made.warnings) tell(`Warning: ${warning}`);
  }
  await follow(client, made, options);
}
