// Needs a cluster with a HorizontalPodAutoscaler that can read external metrics: scripts/test-kubernetes.mjs.
import { until } from '../until.js';
import { Namespace } from './cluster.js';
import { succeed } from './commands.js';
import { imageOf, LOCAL_VALUES, Release } from './release.js';
import { asked, expectOneResultEach, METRICS_PORT, settled, submit, watchRedeliveries, type Run } from './runs.js';
import { seen } from './seen.js';
import { startSimulator } from './simulator.js';
import { startVisitor, type Visitor } from './visitor.js';

const SIGNAL = 'toolmark_fleet_useful_slots';
const { TOOLMARK_KUBERNETES_METRIC: METRIC = '' } = process.env;
const say = seen();
let namespace: Namespace;
let release: Release;
let visitor: Visitor;
let group = 'autoscaling/v2';

describe('a HorizontalPodAutoscaler on useful slots', () => {
  beforeAll(async () => {
    namespace = await Namespace.create('toolmark-scaling');
    release = new Release(namespace, {
      files: ['local', 'hpa'],
      set: {
        ...LOCAL_VALUES,
        existingSecret: '',
        'autoscaling.maxWorkers': 4,
        'autoscaling.cpuPercent': 0, // A cluster for tests has no metrics-server.
      },
    });
    await release.upgraded();
    await startSimulator(namespace, imageOf('one'));
    visitor = await startVisitor(namespace, {
      api: 'toolmark-api:8501',
      secret: 'toolmark-secrets',
      image: imageOf('one'),
    });
    const { clusterIP } = (await namespace.get('services/toolmark-metrics')).spec;
    await succeed('sh', ['-c', `${METRIC} "$0" "$1"`, SIGNAL, `http://${clusterIP}:${METRICS_PORT}/metrics`]);
    // Before Kubernetes 1.23.
    await namespace.get('horizontalpodautoscalers', group).catch(() => (group = 'autoscaling/v2beta2'));
    await until(async () => (await scaler()).value === 0, { what: 'the autoscaler to see the signal' });
    say('helm install with values/hpa.yaml: one worker, and the autoscaler sees 0 useful slots');
  }, 480_000);

  /** What the autoscaler saw and decided last. */
  async function scaler(): Promise<{ value: number | undefined; desired: number }> {
    const { status } = await namespace.get('horizontalpodautoscalers/toolmark-worker', group);
    const metric = status.currentMetrics?.[0]?.external?.current;
    // For each worker, such as 225 or 2500m.
    const average = /^(\d+)(m?)$/.exec(metric?.averageValue ?? '');
    const each = average ? Number(average[1]) / (average[2] ? 1000 : 1) : undefined;
    return {
      value: each === undefined ? undefined : each * Math.max(1, status.currentReplicas),
      desired: status.desiredReplicas,
    };
  }
  /** Every number of workers that there has been, with the seconds since the beginning. */
  function watchWorkers() {
    const began = Date.now();
    const changes: { second: number; workers: number; signal: number | undefined; results: number }[] = [];
    return {
      changes,
      look: async (run: Run) => {
        const [{ value }, workers] = [await scaler(), (await release.ready('worker')).length];
        if (changes.at(-1)?.workers !== workers)
          changes.push({
            second: Math.round((Date.now() - began) / 1000),
            workers,
            signal: value === undefined ? undefined : Math.round(value),
            results: await settled(visitor, run),
          });
        return { value, workers };
      },
    };
  }

  it('a lane of 900 with a limit of 60 requests a minute gets no second worker', async () => {
    const limits = { max_concurrency: 900, requests_per_minute: 60 };
    const run = await submit(visitor, { items: 2000, model: 'perfect-ish@2000', limits });
    const watch = watchWorkers();
    const signals = new Set<number>();
    await until(
      async () => {
        const { value } = await watch.look(run);
        if (value !== undefined) signals.add(Math.round(value));
        return (await settled(visitor, run)) >= 45;
      },
      { what: '45 results at 60 a minute', timeoutMs: 150_000, everyMs: 1000 },
    );
    expect(watch.changes.map(({ workers }) => workers)).toEqual([1]);
    expect(Math.max(...signals)).toBeGreaterThan(0);
    say(
      `900 at a time and 60 a minute, 2 s each: ${await settled(visitor, run)} results by one worker; ` +
        `the autoscaler saw ${[...signals].join(', ')} useful slots`,
    );
    await visitor.client.post(`/api/jobs/${run.jobId}/cancel`);
    await until(async () => (await scaler()).value === 0, { what: 'the end of that run' });
  });

  it('a lane of 900 gets three workers, which leave after the window, and nothing is lost', async () => {
    // By default it waits five minutes.
    const behavior = {
      scaleDown: { stabilizationWindowSeconds: 15, policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] },
    };
    await namespace.patch('horizontalpodautoscalers/toolmark-worker', group, { spec: { behavior } });
    await visitor.forgetCalls();
    const redeliveries = await watchRedeliveries(release);
    const watch = watchWorkers();
    const run = await submit(visitor, { items: 4000, model: 'perfect-ish@20000', limits: { max_concurrency: 900 } });
    await until(async () => (await watch.look(run)).workers === 3, { what: 'three workers', everyMs: 1000 });
    say(`900 at a time, 20 s each: three workers at ${await settled(visitor, run)} of ${run.items} results`);
    await until(async () => (await watch.look(run)).workers === 1, {
      what: 'one worker again',
      timeoutMs: 300_000,
      everyMs: 1000,
    });
    await expectOneResultEach(visitor, run);
    const [{ died }, counts, calls] = [await redeliveries.stop(), await asked(visitor, run), await visitor.calls()];
    for (const { second, workers, signal, results } of watch.changes)
      say(`  after ${second} s: ${workers} workers, ${signal} useful slots, ${results} results`);
    say(
      `Scaled: ${run.items} items, ${counts.requests} requests, ${counts.abandoned} cut, ${counts.repeated} prompts ` +
        `sent again, ${died} of workers that died; ${calls.answered} calls answered, ${calls.failed.length} failed`,
    );
    expect(Math.max(...watch.changes.map(({ workers }) => workers))).toBe(3);
    expect([counts.requests, counts.repeated, died]).toEqual([run.items, 0, 0]);
    expect(calls.failed).toEqual([]);
  });
});
