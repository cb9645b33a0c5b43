import type { Command } from 'commander';
import { locally, examples } from '../command.js';

export function addScore(program: Command): void {
  const command = program
    .command('score')
    .description('score JSON lines of recorded calls by any metric; needs no server')
    .option('--in <file>', 'JSON lines {id, metric, options, input}; standard input when left out')
    .option('--out <file>', 'file to write; standard output when left out')
    .action(
      locally<{ in?: string; out?: string }>(async (options) => (await import('../score/score.js')).score(options)),
    );
  command.addHelpText(...examples('toolmark score --in calls.jsonl --out scores.jsonl'));
}
