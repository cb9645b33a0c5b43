import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { onServer, examples } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { readRescore } from '../lookup/read-rescore.js';
import { printFile } from '../output/terminal.js';
import { orBrokenOff, writeWhole } from '../write-whole.js';
import { RUN_EXPORT_FORMATS } from '#lib/contracts/values/runs';

interface ExportOptions {
  format: string;
  bom?: boolean;
  end?: boolean;
  out?: string;
  rescore?: string;
}

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write all results of a run into a file')
    .argument('<run>', 'id of a run or a job, or its beginning')
    .addOption(new Option('--format <format>', 'format of the file').choices(RUN_EXPORT_FORMATS).default('json'))
    .option('--bom', 'with --format csv: a byte order mark, by which Excel knows UTF-8')
    .option('--end', 'with --format jsonl or csv: a last line that says how many results there are')
    .option('--out <file>', 'file to write, once it is whole; standard output when left out')
    .option('--rescore <id>', "verdicts of this rescore instead of the run's own")
    .action(onServer<ExportOptions, [string]>(exportRun));
  command.addHelpText(...examples('toolmark export RUN --format junit --out results.xml'));
}

/** Written as it arrives: an export may be larger than the memory. */
async function exportRun(client: ApiClient, options: ExportOptions, id: string): Promise<void> {
  const { format, bom, end, out, rescore } = options;
  const { id: runId } = await findRun(client, id);
  const query = new URLSearchParams({
    format,
    ...(bom && { bom: 'true' }),
    ...(end && { end: 'true' }),
    ...(rescore !== undefined && { rescore_id: (await readRescore(client, runId, rescore)).id }),
  });
  const pieces = client.download(`/api/tool-eval/history/${runId}/export?${query}`);
  if (out !== undefined)
    return writeWhole(out, orBrokenOff(pieces, `The export broke off, and ${out} was not written.`));
  for await (const piece of orBrokenOff(pieces, 'The export broke off: what was printed is not whole.'))
    printFile(piece);
}
