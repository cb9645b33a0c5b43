import { createReadStream, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { LabelsImported } from '#lib/contracts/label';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { print, printJson } from '../output/terminal.js';
import { readCalibration } from './judges.js';

interface LabelOptions extends GlobalOptions {
  judge?: string;
  import?: string;
}

export function addLabel(program: Command): void {
  const label = subcommand(program, 'label', 'label judged results as right or wrong, to calibrate the judge')
    .argument('<run>', 'id or id prefix of a run or job')
    .option('-j, --judge <model>', "the judge to calibrate (default: the team's judge)")
    .option('--import <file>', 'import labels from a file of JSON lines {result_id, label, note}')
    .action(serverAction<LabelOptions, [string]>(labelRun));
  label.addHelpText(
    ...examples('toolmark label RUN --judge simulator::judge:right', 'toolmark label RUN --import labels.jsonl'),
  );
}

async function labelRun(client: ApiClient, options: LabelOptions, run: string): Promise<void> {
  const { id } = await findRun(client, run);
  if (options.import !== undefined) return importLabels(client, options, id, options.import);
  if (options.json) throw new Error('--json cannot ask for labels. Import them with --import FILE.');
  const [{ openDialogue }, { Draws }, { Labelling }] = await Promise.all([
    import('../labelling/dialogue.js'),
    import('../labelling/draws.js'),
    import('../labelling/label-results.js'),
  ]);
  const draws = new Draws(client, { eval_id: id, ...(options.judge !== undefined && { judge: options.judge }) });
  const dialogue = openDialogue();
  const labelling = new Labelling(client, draws, dialogue);
  const isAll = await labelling.labelAll().finally(() => dialogue.close());
  const { judge, items } = draws.first;
  // With the instructions of its newest report on the run: reports on other runs may have different ones.
  print(
    '',
    ...(isAll ? [`All results of this run that ${judge} judged are labelled or skipped.`] : []),
    `You gave ${labelling.labelCount} labels.`,
    ...(await calibrationLines(client, items[0] ? { report_id: items[0].report_id } : { judge })),
  );
}

/** The number of labels, and how well they confirm the judge. */
async function calibrationLines(client: ApiClient, of: Parameters<typeof readCalibration>[1]): Promise<string[]> {
  const { labels, asked, text } = await readCalibration(client, of);
  return [`The judge has ${labels} of the ${asked} labels that a calibration needs.`, text];
}

async function importLabels(
  client: ApiClient,
  { judge, json }: LabelOptions,
  runId: string,
  file: string,
): Promise<void> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new Error(`There is no file ${file}.`);
  const { sendStream } = await import('#lib/client/send-stream');
  const path = `/api/tool-eval/history/${runId}/labels`;
  const size = stats.isFile() ? stats.size : undefined;
  const imported = await sendStream<LabelsImported>(client, path, 'application/x-ndjson', createReadStream(file), size);
  if (json) return printJson(imported);
  print(`Imported ${imported.labels} ${imported.labels === 1 ? 'label' : 'labels'}.`);
  if (judge !== undefined) print(...(await calibrationLines(client, { judge })));
}
