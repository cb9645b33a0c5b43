import type { Command } from 'commander';
import { examples, localAction, subcommand } from '../command.js';

export function addScore(program: Command): void {
  const command = subcommand(program, 'score', 'score JSON lines of recorded calls with any metric; needs no server')
    .option('--in <file>', 'JSON lines {id, metric, options, input} (default: standard input)')
    .option('--out <file>', 'file to write (default: standard output)')
    .action(
      localAction<{ in?: string; out?: string }>(async (options) => (await import('../score/score.js')).score(options)),
    );
  command.addHelpText(...examples('toolmark score --in calls.jsonl --out scores.jsonl'));
}
