import { once } from 'node:events';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { scoreLines } from './score-lines.js';
import { drawScoreProgress } from './score-progress.js';

/** JSON lines in, scores out. The exit status tells whether any line could not be scored. */
export async function score(options: { in?: string; out?: string }): Promise<void> {
  // Little lives longer than a line; without this V8 lets twice the memory fill up before it looks.
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
  // Looked at before it is opened: a stream of a missing file fails where nobody listens yet.
  const from = options.in === undefined ? undefined : statSync(options.in, { throwIfNoEntry: false });
  if (options.in !== undefined && !from) throw new Error(`No file "${options.in}" to score.`);
  const into = options.out === undefined ? undefined : statSync(options.out, { throwIfNoEntry: false });
  if (from?.isFile() && from.ino === into?.ino && from.dev === into.dev)
    throw new Error(`"${options.out}" is the file that is read: write to another one.`);
  const input = options.in === undefined ? process.stdin : createReadStream(options.in);
  const output = options.out === undefined ? process.stdout : createWriteStream(options.out);
  if (options.out !== undefined) await once(output, 'open');
  // Where scores go to the terminal themselves, a bar would stand between them.
  const progress =
    process.stderr.isTTY && !(options.out === undefined && process.stdout.isTTY)
      ? drawScoreProgress(process.stderr, from?.size)
      : undefined;
  const { lines, failed } = await scoreLines(input, output, progress?.at);
  if (options.out !== undefined) await finished(output.end());
  progress?.end(lines, failed);
  if (failed) process.exitCode = 1;
}
