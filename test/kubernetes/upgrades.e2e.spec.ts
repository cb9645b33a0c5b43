// Needs a cluster: scripts/test-kubernetes.mjs.
import { until } from '../until.js';
import { KUBECTL, paste, run as runCommand, succeed } from './commands.js';
import { isReady, Namespace } from './cluster.js';
import { imageOf, LOCAL_VALUES, Release } from './release.js';
import { asked, expectOneResultEach, settled, submit, untilSettled, watchRedeliveries } from './runs.js';
import { seen } from './seen.js';
import { startSimulator } from './simulator.js';
import { startVisitor, type Visitor } from './visitor.js';

const API = 'toolmark-api:8501';
const say = seen();
let release: Release;
let visitor: Visitor;
let installed: string;

beforeAll(async () => {
  const namespace = await Namespace.create('toolmark-upgrades');
  release = new Release(namespace, { files: ['local'], set: LOCAL_VALUES });
  installed = await release.upgraded();
  say('helm install: Postgres, Redis, simulator, two APIs and two workers are ready');
  await startSimulator(namespace, imageOf('one'));
  visitor = await startVisitor(namespace, { api: API, secret: 'toolmark-secrets', image: imageOf('one') });
}, 480_000);

/** Begins a run of 2,000 items, and counts from when so many of them are settled. */
async function begin(wanted: { model: string; concurrency: number; settled: number }) {
  const limits = { max_concurrency: wanted.concurrency };
  const run = await submit(visitor, { items: 2000, model: wanted.model, limits });
  await untilSettled(visitor, run, wanted.settled);
  await visitor.forgetCalls();
  return { run, redeliveries: await watchRedeliveries(release) };
}

/** What a run cost while something happened to the pods that played it. */
async function report(what: string, run: Awaited<ReturnType<typeof submit>>) {
  const [calls, simulator] = [await visitor.calls(), await asked(visitor, run)];
  const { requests, paid, abandoned, repeated } = simulator;
  say(
    `${what}: ${run.items} items, ${requests} requests, ${paid} paid, ${abandoned} cut, ${repeated} prompts sent ` +
      `again; the visitor: ${calls.answered} calls answered, ${calls.failed.length} failed, the slowest after ` +
      `${calls.slowest_ms} ms`,
  );
  return { calls, ...simulator };
}

it('an installation migrates, becomes ready and says the next command', async () => {
  expect(installed).toContain('STATUS: deployed');
  expect(installed).toMatch(/kubectl .*port-forward/);
  expect((await release.ready('api')).length).toBe(2);
  expect((await release.ready('worker')).length).toBe(2);
});

it.each(['api', 'worker'])(
  'each %s runs as user 1000, cannot write to its files and has no token of Kubernetes',
  async (component) => {
    for (const { metadata } of await release.ready(component)) {
      const shell = (script: string) => release.namespace.shell(metadata.name, script);
      expect(await shell('id -u; id -g')).toBe('1000\n1000');
      expect(await shell('touch /app/x')).toContain('Read-only file system');
      expect(await shell('ls /var/run/secrets/kubernetes.io')).toContain('No such file');
      expect(await shell('grep NoNewPrivs /proc/1/status; grep CapEff /proc/1/status')).toMatch(/1\n.*\b0+$/);
    }
  },
);

it('workers have no token of the owner', async () => {
  for (const { metadata } of await release.ready('worker'))
    expect(await release.namespace.shell(metadata.name, 'env')).not.toContain('TOOLMARK_ADMIN_TOKEN');
});

it('the commands that helm prints play a first run', async () => {
  const [, commands = ''] = /^The command line.*\n((?: {2}.*\n)+)/m.exec(installed)!;
  expect(commands.match(/^ {2}toolmark \w/gm)!.length).toBeGreaterThan(2);
  expect(await paste(commands)).toMatch(/perfect-ish .*%/);
  say('A first run by the commands of the notes');
});

it('an upgrade while a run is under way is noticed by nobody', async () => {
  const before = await release.ready('worker');
  const { run, redeliveries } = await begin({ model: 'perfect-ish@1500', concurrency: 40, settled: 100 });
  say(`A run of 2,000 items, 40 at a time; helm upgrade begins at ${await settled(visitor, run)} results`);
  await release.upgraded({ tag: 'two' });
  const atEnd = await settled(visitor, run);
  say(`helm upgrade has ended at ${atEnd} results`);
  expect(atEnd).toBeLessThan(run.items);
  for (const component of ['api', 'worker'])
    for (const pod of await release.untilPods(component, 2)) expect(pod.spec.containers[0]!.image).toBe(imageOf('two'));
  const after = await release.ready('worker');
  expect(after.filter(({ metadata }) => before.some((old) => old.metadata.uid === metadata.uid))).toEqual([]);
  await expectOneResultEach(visitor, run);
  expect(await redeliveries.stop()).toEqual({ died: 0 });
  const { calls, ...counts } = await report('Upgraded', run);
  expect(counts).toEqual({ requests: 2000, paid: 2000, abandoned: 0, repeated: 0 });
  expect(calls.failed).toEqual([]);
});

it('a worker is deleted without grace: its items are asked again, and only cut requests are paid twice', async () => {
  const [victim] = await release.ready('worker');
  const { run, redeliveries } = await begin({ model: 'perfect-ish@5000', concurrency: 200, settled: 200 });
  await release.namespace.kubectl('delete', 'pod', victim!.metadata.name, '--grace-period=0', '--force');
  say(`A worker is deleted without grace at ${await settled(visitor, run)} results`);
  await expectOneResultEach(visitor, run);
  const { died } = await redeliveries.stop();
  const { calls, ...counts } = await report(`Deleted, ${died} items asked again`, run);
  expect(died).toBeGreaterThan(0);
  expect(counts.repeated).toBeLessThanOrEqual(died);
  expect(counts.requests - run.items).toBe(counts.repeated);
  expect(calls.failed).toEqual([]);
  await release.untilPods('worker', 2);
});

it('a drain evicts no more than the disruption budgets allow, and nothing is asked twice', async () => {
  const old = [...(await release.ready('api')), ...(await release.ready('worker'))];
  const { run, redeliveries } = await begin({ model: 'perfect-ish@1500', concurrency: 40, settled: 100 });
  const node = old[0]!.spec.nodeName!;
  const selector = 'app.kubernetes.io/instance=toolmark,app.kubernetes.io/component in (api,worker)';
  const draining = runCommand(KUBECTL, [
    ...['drain', node, `--pod-selector=${selector}`, '--ignore-daemonsets', '--delete-emptydir-data', '--force'],
    '--timeout=240s',
  ]);
  try {
    // The only node takes no new pods, so the second pod of each Deployment has to stay.
    const survivors = await until(
      async () => {
        const ready = [...(await release.ready('api')), ...(await release.ready('worker'))];
        return ready.length === 2 ? ready : undefined;
      },
      { what: 'a pod of each Deployment to be evicted' },
    );
    expect(survivors.map(({ metadata }) => metadata.labels['app.kubernetes.io/component'])).toEqual(['api', 'worker']);
    say(`Drained as far as the budgets allow, at ${await settled(visitor, run)} results`);
  } finally {
    await succeed(KUBECTL, ['uncordon', node]);
  }
  const { status, output } = await draining;
  expect(output).toContain("Cannot evict pod as it would violate the pod's disruption budget");
  expect(status).toBe(0);
  say(`The drain has ended at ${await settled(visitor, run)} results`);
  const now = [...(await release.untilPods('api', 2)), ...(await release.untilPods('worker', 2))];
  expect(now.filter(({ metadata }) => old.some(({ metadata: { uid } }) => uid === metadata.uid))).toEqual([]);
  expect(now.every(isReady)).toBe(true);
  await expectOneResultEach(visitor, run);
  expect(await redeliveries.stop()).toEqual({ died: 0 });
  const { calls, ...counts } = await report('Drained', run);
  expect(counts).toEqual({ requests: 2000, paid: 2000, abandoned: 0, repeated: 0 });
  expect(calls.failed).toEqual([]);
});
