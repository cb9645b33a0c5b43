import { once } from 'node:events';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { EXIT } from '../exit-codes.js';
import { scoreLines } from './score-lines.js';
import { scoreProgress } from './score-progress.js';

/** Reads JSON lines and writes a score for each. The exit code is 1 when a line could not be scored. */
export async function score(options: { in?: string; out?: string }): Promise<void> {
  // Few objects outlive a line; without these flags V8 lets the memory grow to twice the size.
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
  // Checked before it is opened: the stream of a missing file fails before a listener is attached.
  const from = options.in === undefined ? undefined : statSync(options.in, { throwIfNoEntry: false });
  if (options.in !== undefined && !from) throw new Error(`No file "${options.in}" to score.`);
  const into = options.out === undefined ? undefined : statSync(options.out, { throwIfNoEntry: false });
  if (from?.isFile() && from.ino === into?.ino && from.dev === into.dev)
    throw new Error(`"${options.out}" is also the input. Write to another file.`);
  const input = options.in === undefined ? process.stdin : createReadStream(options.in);
  const output = options.out === undefined ? process.stdout : createWriteStream(options.out);
  if (options.out !== undefined) await once(output, 'open');
  // A bar would appear between scores that go to the terminal themselves.
  const progress =
    process.stderr.isTTY && !(options.out === undefined && process.stdout.isTTY)
      ? scoreProgress(process.stderr, from?.size)
      : undefined;
  const { lines, failed } = await scoreLines(input, output, progress?.at);
  if (options.out !== undefined) await finished(output.end());
  progress?.end(lines, failed);
  if (failed) process.exitCode = EXIT.negative;
}
