import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TeamSystem } from './system.js';
import { until } from './until.js';

/** A shell that keeps its variables and functions, like a reader's. */
export interface GuideShell {
  /** Its working directory. */
  folder: string;
  /** Returns the standard output of the lines. */
  run(lines: string): Promise<string>;
  end(): void;
}

const END = '--- end of the lines ---';

/** Has the built command as `toolmark`, signed in at the system, with the examples in its folder. */
export function openGuideShell({ client }: TeamSystem): GuideShell {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-guide-'));
  const command = `exec ${resolve('node_modules/.bin/node')} ${resolve('dist/apps/cli/main.js')} "$@"`;
  writeFileSync(join(folder, 'toolmark'), `#!/bin/sh\n${command}\n`);
  chmodSync(join(folder, 'toolmark'), 0o755);
  symlinkSync(resolve('examples'), join(folder, 'examples'));
  const child = spawn('sh', [], {
    cwd: folder,
    env: {
      PATH: `${folder}:${resolve('node_modules/.bin')}:${process.env.PATH}`,
      XDG_CONFIG_HOME: folder,
      TOOLMARK_SERVER: client.url,
      TOOLMARK_TOKEN: client.token,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  return {
    folder,
    async run(lines) {
      out = '';
      writeFileSync(join(folder, 'lines.sh'), lines);
      child.stdin.write(`. ./lines.sh </dev/null\necho "${END}"\n`);
      await until(() => out.includes(END), { what: lines, timeoutMs: 300_000 });
      return out.slice(0, out.indexOf(END));
    },
    end() {
      child.stdin.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Step {
  lines: string;
  /** The output shown on the page; undefined if it shows none. */
  output: string | undefined;
}

/** The commands of a page, in order. */
function stepsOf(page: string): Step[] {
  const fences = [...page.matchAll(/^```(sh|text)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text: text! }));
  return fences.flatMap(({ kind, text }, index) => {
    const next = fences[index + 1];
    return kind === 'sh' ? [{ lines: text, output: next?.kind === 'text' ? next.text : undefined }] : [];
  });
}

/**
 * The text without parts that differ each time: ids, instants, latencies, the costs next to them (of requests that two
 * arms share, one is paid), and alignment spaces.
 */
const lasting = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
    .replaceAll(/(\$[\d.]+ +)?\d+ ms/g, 'N ms')
    .replaceAll(/ {2,}/g, '  ')
    .trim();

/**
 * Runs the commands of a page, with local equivalents of its alias and its simulator.
 * @param settlesLater whether the output of these lines may change for a while after the preceding commands have ended
 * @returns the actual output and the output shown on the page, for each command with one
 */
export async function replayGuide(
  path: string,
  { simulator }: TeamSystem,
  shell: GuideShell,
  settlesLater: (lines: string) => boolean = () => false,
): Promise<{ printed: string[]; promised: string[] }> {
  const printed: string[] = [];
  const promised: string[] = [];
  for (const { lines, output } of stepsOf(readFileSync(path, 'utf8'))) {
    const here = lines.replace(/^alias .*$/m, '').replace(/^SIMULATOR=\S+/m, `SIMULATOR=${simulator.url}`);
    let shown = await shell.run(here);
    if (output === undefined) continue;
    if (settlesLater(lines))
      await until(async () => lasting((shown = await shell.run(here))) === lasting(output)).catch(() => {});
    printed.push(lasting(`$ ${lines}${shown}`));
    promised.push(lasting(`$ ${lines}${output}`));
  }
  return { printed, promised };
}
