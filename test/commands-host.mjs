// The built command line in a process that runs one command after another (test/command-line.ts): starting Node.js and
// loading 120 modules for each would take far longer than most commands. Each command has its own arguments, folder,
// environment and streams, none of them a terminal, but no input, signals or V8 flags.
import { Readable, Writable } from 'node:stream';
import { runProgram } from '../dist/apps/cli/run-program.js';

/** Captures standard output or standard error. */
class Written extends Writable {
  #chunks = [];

  _write(chunk, _encoding, done) {
    this.#chunks.push(chunk);
    done();
  }

  toString() {
    return Buffer.concat(this.#chunks).toString();
  }
}

process.on('message', async ({ args, folder, env }) => {
  const streams = { stdin: Readable.from([]), stdout: new Written(), stderr: new Written() };
  for (const [name, value] of Object.entries(streams)) Object.defineProperty(process, name, { value });
  process.chdir(folder);
  process.env = env;
  process.exitCode = undefined;
  await runProgram(args);
  process.send({ code: process.exitCode ?? 0, out: String(streams.stdout), err: String(streams.stderr) });
});
process.on('disconnect', () => process.exit());
