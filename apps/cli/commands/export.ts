import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { onServer, withExamples } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { readRescore } from '../lookup/read-rescore.js';
import { printFile } from '../output/terminal.js';

export const RUN_EXPORT_FORMATS = ['json', 'jsonl', 'csv', 'junit'];

interface ExportOptions {
  format: string;
  out?: string;
  rescore?: string;
}

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write all results of a run into a file')
    .argument('<run>', 'id of a run or a job, or its beginning')
    .addOption(new Option('--format <format>', 'format of the file').choices(RUN_EXPORT_FORMATS).default('json'))
    .option('--out <file>', 'file to write; standard output when left out')
    .option('--rescore <id>', "verdicts of this rescore instead of the run's own")
    .action(onServer<ExportOptions, [string]>(exportRun));
  withExamples(command, 'toolmark export RUN --format junit --out results.xml');
}

/** Written as it comes: an export may be larger than the memory. */
async function exportRun(client: ApiClient, { format, out, rescore }: ExportOptions, id: string): Promise<void> {
  const { id: runId } = await findRun(client, id);
  const query = new URLSearchParams({
    format,
    ...(rescore !== undefined && { rescore_id: (await readRescore(client, runId, rescore)).id }),
  });
  const pieces = client.download(`/api/tool-eval/history/${runId}/export?${query}`);
  if (out === undefined) {
    for await (const piece of pieces) printFile(piece);
    return;
  }
  // Before the file is opened: a refusal leaves an earlier file as it was.
  const first = await pieces.next();
  const file = createWriteStream(out);
  await once(file, 'open');
  file.write(first.value ?? '');
  for await (const piece of pieces) if (!file.write(piece)) await once(file, 'drain');
  await finished(file.end());
}
