import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { examples, serverAction, subcommand } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { rescoreIdOf } from '../lookup/read-rescore.js';
import { writeOutput } from '../output/terminal.js';
import { queryOf } from '../query.js';
import { withInterruptionError, writeAtomically } from '../write-atomically.js';
import { RUN_EXPORT_FORMATS } from '#lib/contracts/values/runs';

interface ExportOptions {
  format: string;
  bom?: boolean;
  end?: boolean;
  out?: string;
  rescore?: string;
}

export function addExport(program: Command): void {
  const command = subcommand(program, 'export', 'export all results of a run')
    .argument('<run>', 'id or id prefix of a run or job')
    .addOption(new Option('--format <format>', 'format of the file').choices(RUN_EXPORT_FORMATS).default('json'))
    .option('--bom', 'with --format csv: add a byte order mark, so that Excel reads UTF-8')
    .option('--end', 'with --format jsonl or csv: add a last line with the number of results')
    .option('--out <file>', 'file to write, which appears once it is complete (default: standard output)')
    .option('--rescore <id>', "use the verdicts of this rescore instead of the run's own")
    .action(serverAction<ExportOptions, [string]>(exportRun));
  command.addHelpText(...examples('toolmark export RUN --format junit --out results.xml'));
}

/** Written as it arrives: an export may be larger than the memory. */
async function exportRun(client: ApiClient, options: ExportOptions, id: string): Promise<void> {
  const { format, bom, end, out, rescore } = options;
  const { id: runId } = await findRun(client, id);
  const query = queryOf({ format, bom, end, rescore_id: await rescoreIdOf(client, runId, rescore) });
  const pieces = client.download(`/api/tool-eval/history/${runId}/export?${query}`);
  if (out !== undefined)
    return writeAtomically(
      out,
      withInterruptionError(pieces, `The export was interrupted, and ${out} was not written.`),
    );
  for await (const piece of withInterruptionError(
    pieces,
    'The export was interrupted: the printed output is incomplete.',
  ))
    writeOutput(piece);
}
