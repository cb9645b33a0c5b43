import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import type { Command } from 'commander';
import type { ApiClient, Submitted } from '#lib/client/api-client';
import { examples, serverAction, subcommand } from '../command.js';
import { findExperiment } from '../lookup/find-named.js';
import { openStatusArea, print, printWarning, type StatusArea } from '../output/terminal.js';
import { queryOf } from '../query.js';
import { chooseSuite } from '../suite-files/import-once.js';
import { addFollowOptions, follow, type FollowOptions } from './follow.js';

interface RecordOptions extends FollowOptions {
  target: string;
  experiment?: string;
  in?: string;
  encoding?: string;
}

export function addRecord(program: Command): void {
  const record = subcommand(program, 'record', 'create a run from recorded replies')
    .argument('<suite>', 'name or id of a suite, or a file')
    .requiredOption('--target <name>', 'name of the system that produced the replies')
    .option('--experiment <name>', 'experiment that the run belongs to, by name or id')
    .option('--in <file>', 'JSON lines {case, sample, reply | rounds | error} (default: standard input)')
    .option('--encoding <charset>', 'charset of the lines if they are not UTF-8, such as windows-1252');
  addFollowOptions(record).action(serverAction<RecordOptions, [string]>(sendReplies));
  record.addHelpText(...examples('toolmark record Weather --target "my agent" --in replies.jsonl --watch'));
}

interface RecordedRun extends Submitted {
  replies: number;
  warnings: string[];
}

async function sendReplies(client: ApiClient, options: RecordOptions, suite: string): Promise<void> {
  const { target, in: file, experiment, encoding } = options;
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file !== undefined && !stats) throw new Error(`No file "${file}" to record.`);
  const sizeBytes = stats?.isFile() ? stats.size : undefined;
  const experimentId = experiment === undefined ? undefined : await findExperiment(client, experiment);
  const { suiteId, forget } = await chooseSuite(client, suite);
  const { sendStream } = await import('#lib/client/send-stream');
  const status = openStatusArea();
  const source = file === undefined ? process.stdin : createReadStream(file);
  const query = queryOf({ suite_id: suiteId, target_name: target, experiment_id: experimentId });
  const recorded = await sendStream<RecordedRun>(
    client,
    `/api/tool-eval/recorded?${query}`,
    `application/x-ndjson${encoding === undefined ? '' : `; charset=${encoding}`}`,
    withProgress(source, status, sizeBytes),
    sizeBytes,
  )
    .catch(async (error: Error) => {
      source.destroy();
      await forget();
      throw error;
    })
    .finally(() => status?.clear());
  if (!options.json) {
    print(`Recorded ${recorded.replies} replies.`);
    recorded.warnings.forEach(printWarning);
  }
  await follow(client, recorded, options);
}

const SHOW_EVERY_BYTES = 2 ** 20;

/** Passes the bytes through; on a terminal it shows the progress. */
function withProgress(source: Readable, status: StatusArea | undefined, sizeBytes: number | undefined): Readable {
  let [sent, shown] = [0, -Infinity];
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      if (sent - shown >= SHOW_EVERY_BYTES) {
        shown = sent;
        status?.show(() => [
          sizeBytes ? `${Math.floor((100 * sent) / sizeBytes)} % sent` : `${Math.round(sent / 1e6)} MB sent`,
        ]);
      }
      done(null, chunk);
    },
  });
  source.on('error', (error: Error) => counted.destroy(error));
  return source.pipe(counted);
}
