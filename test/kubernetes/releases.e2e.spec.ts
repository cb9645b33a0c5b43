// Needs a cluster: scripts/test-kubernetes.mjs.
import { Namespace } from './cluster.js';
import { imageOf, LOCAL_VALUES, Release } from './release.js';
import { asked, expectOneResultEach, settled, submit, untilSettled, watchRedeliveries } from './runs.js';
import { seen } from './seen.js';
import { startSimulator } from './simulator.js';
import { startVisitor, type Visitor } from './visitor.js';

const say = seen();
let release: Release;
let visitor: Visitor;

beforeAll(async () => {
  const namespace = await Namespace.create('toolmark-releases');
  release = new Release(namespace, { files: ['local'], set: LOCAL_VALUES });
  await release.upgraded({ tag: 'earlier' });
  await startSimulator(namespace, imageOf('one'));
  visitor = await startVisitor(namespace, {
    api: 'toolmark-api:8501',
    secret: 'toolmark-secrets',
    image: imageOf('one'),
  });
  say('helm install of the release before');
}, 480_000);

const slow = { items: 2000, model: 'perfect-ish@1500', limits: { max_concurrency: 40 } };

it('a run of the release before goes on through an upgrade with its migrations, and through a rollback', async () => {
  const run = await submit(visitor, { ...slow, items: 4000 });
  await untilSettled(visitor, run, 100);
  await visitor.forgetCalls();
  const redeliveries = await watchRedeliveries(release);
  await release.upgraded({ tag: 'one' });
  say(`Upgraded with migrations, at ${await settled(visitor, run)} of ${run.items} results`);
  const { output, status } = await release.helm('rollback', 'toolmark', '1', '--wait', '--timeout=300s');
  expect([status, output]).toEqual([0, expect.stringContaining('Rollback was a success')]);
  const atEnd = await settled(visitor, run);
  say(`Rolled back, at ${atEnd} of ${run.items} results`);
  expect(atEnd).toBeLessThan(run.items);
  for (const component of ['api', 'worker'])
    for (const pod of await release.untilPods(component, 2))
      expect(pod.spec.containers[0]!.image).toBe(imageOf('earlier'));
  await expectOneResultEach(visitor, run);
  const [{ died }, counts, calls] = [await redeliveries.stop(), await asked(visitor, run), await visitor.calls()];
  say(
    `${run.items} items, ${counts.requests} requests, ${counts.repeated} prompts sent again, ${died} items of ` +
      `workers that died; ${calls.answered} calls answered, ${calls.failed.length} failed`,
  );
  expect([counts.requests, counts.repeated, died]).toEqual([run.items, 0, 0]);
  expect(calls.failed).toEqual([]);
});

it('a run that a newer API accepted is completed, whichever release its workers have meanwhile', async () => {
  await release.upgraded({ tag: 'one' });
  const run = await submit(visitor, slow);
  await untilSettled(visitor, run, 100);
  const { status } = await release.helm('rollback', 'toolmark', '1', '--wait', '--timeout=300s');
  expect(status).toBe(0);
  say(`Rolled back at ${await settled(visitor, run)} results`);
  await release.upgraded({ tag: 'one' });
  await expectOneResultEach(visitor, run);
  expect(await asked(visitor, run)).toMatchObject({ requests: run.items, repeated: 0 });
  say('Upgraded again: the run is completed, each item asked once');
});
