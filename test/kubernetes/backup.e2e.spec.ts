// Needs a cluster: scripts/test-kubernetes.mjs. Runs the commands of docs/kubernetes.md.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterFile } from '../after-file.js';
import { Namespace } from './cluster.js';
import { KUBECTL, paste, succeed } from './commands.js';
import { imageOf, LOCAL_VALUES, Release } from './release.js';
import { asked, expectOneResultEach, settled, submit, untilSettled } from './runs.js';
import { seen } from './seen.js';
import { startSimulator } from './simulator.js';
import { startVisitor } from './visitor.js';

const say = seen();
const folder = mkdtempSync(join(tmpdir(), 'toolmark-backup-'));
afterFile(() => rmSync(folder, { recursive: true }));

/** The commands below a heading. The Secret of local.yaml has another name, as the page says. */
function commandsOf(heading: string): string[] {
  const [, section = ''] = readFileSync('docs/kubernetes.md', 'utf8').split(`\n${heading}\n`);
  const [text = ''] = section.split(/\n##+ /);
  return [...text.matchAll(/\n```\n(.*?)\n```/gs)].map(([, block]) =>
    block!.replaceAll(/(secret(KeyRef: \{ name:)? )toolmark\b(?!-)/g, '$1toolmark-secrets'),
  );
}

it('a backup that is made while a run goes on is restored by the commands of the page, and the run ends', async () => {
  const namespace = await Namespace.create('toolmark-backup');
  const release = new Release(namespace, { files: ['local'], set: LOCAL_VALUES });
  await release.upgraded();
  await startSimulator(namespace, imageOf('one'));
  const visitor = await startVisitor(namespace, {
    api: 'toolmark-api:8501',
    secret: 'toolmark-secrets',
    image: imageOf('one'),
  });

  // What an operator has: a checkout, values, and a configuration whose namespace is that of the release.
  const config = join(folder, 'kubeconfig');
  copyFileSync(process.env.KUBECONFIG!, config);
  await succeed(KUBECTL, ['--kubeconfig', config, 'config', 'set-context', '--current', '--namespace', namespace.name]);
  symlinkSync(resolve('deploy'), join(folder, 'deploy'));
  writeFileSync(
    join(folder, 'my-values.yaml'),
    await release.helm('get', 'values', 'toolmark').then(({ stdout }) => stdout.replace(/^USER.*\n/, '')),
  );
  const shell = (commands: string) => paste(commands, { cwd: folder, env: { KUBECONFIG: config } });

  const run = await submit(visitor, { items: 2000, model: 'perfect-ish@1500', limits: { max_concurrency: 40 } });
  const [tools = ''] = commandsOf('## Back up and restore');
  await shell(tools);
  await untilSettled(visitor, run, 300);
  say(`Installed; the backup begins at ${await settled(visitor, run)} of ${run.items} results`);
  const [dump = '', verify = ''] = commandsOf('### Back up');
  await shell(dump);
  const atDump = await settled(visitor, run);
  expect(Number(await shell(verify))).toBeGreaterThan(20);
  expect(readFileSync(join(folder, 'sealing-key'), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  say(`Backed up: ${Math.round(statSync(join(folder, 'toolmark.dump')).size / 1024)} KiB`);
  await untilSettled(visitor, run, atDump + 300);

  const [stop = '', restore = ''] = commandsOf('### Restore');
  await shell(stop);
  const lost = (await asked(visitor, run)).paid - atDump;
  say('Stopped');
  await shell(restore);
  const restored = await settled(visitor, run);
  say(`Restored and upgraded; at ${restored} results`);
  await expectOneResultEach(visitor, run);
  const { requests, repeated } = await asked(visitor, run);
  say(
    `The run is completed: ${run.items} items, ${requests} requests; ${repeated} were asked again, of ${lost} that ` +
      'had been answered since the backup, or a little before its end',
  );
  expect(requests - repeated).toBe(run.items);
});
