// The built command line in a process that runs one command after another (test/command-line.ts): to start Node.js and
// to load 120 modules for each would take far longer than most commands. A command has its arguments, its folder, its
// environment and its streams, none of them a terminal; it has no input, no signals and no V8 flags of its own.
import { Readable, Writable } from 'node:stream';
import { runProgram } from '../dist/apps/cli/run-program.js';

/** What is written, in place of standard output or standard error. */
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
