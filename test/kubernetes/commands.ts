import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

export interface Ended {
  status: number | null;
  stdout: string;
  /** What a person at a terminal sees: both streams. */
  output: string;
}

export interface Surroundings {
  input?: string;
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs a command to its end, whatever its exit code. */
export function run(command: string, args: string[], { input = '', cwd, env }: Surroundings = {}): Promise<Ended> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, timeout: 480_000 });
  let [stdout, output] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), (output += text)));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdin.on('error', () => {}); // It may end before it has read everything.
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, output }));
  });
}

/** @returns its output; fails with it unless the exit code is 0 */
export async function succeed(command: string, args: string[], options?: Surroundings): Promise<string> {
  const { status, stdout, output } = await run(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${output}`);
  return stdout;
}

/** The programs that scripts/test-kubernetes.mjs found. */
export const KUBECTL = process.env.TOOLMARK_KUBERNETES_KUBECTL ?? 'kubectl';
export const HELM = process.env.TOOLMARK_KUBERNETES_HELM ?? 'helm';

/** Runs lines of a shell as a person pastes them. @returns what they print */
export const paste = (lines: string, { env, ...others }: Surroundings = {}): Promise<string> =>
  succeed('bash', ['-euo', 'pipefail', '-c', lines], {
    ...others,
    env: { ...env, PATH: [dirname(KUBECTL), dirname(HELM), process.env.PATH].join(delimiter) },
  });
