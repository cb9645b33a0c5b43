import { resolve } from 'node:path';
import { until } from '../until.js';
import { isReady, type Namespace, type Pod } from './cluster.js';
import { HELM, run, type Ended } from './commands.js';
import { MODELS } from './simulator.js';

const CHART = resolve('deploy/helm/toolmark');
/** What scripts/test-kubernetes.mjs builds: this release, the same once more as a later one, and the release before. */
const IMAGES = { repository: 'toolmark-test', tags: { one: 'one', two: 'two', earlier: 'earlier' } } as const;
export type Tag = keyof typeof IMAGES.tags;
export const imageOf = (tag: Tag): string => `${IMAGES.repository}:${IMAGES.tags[tag]}`;

/** Values as helm takes them; a name without a dot is a file of the chart's `values`. */
export interface Wanted {
  tag?: Tag;
  files?: string[];
  set?: Record<string, string | number | boolean>;
  timeout?: string;
  /** Without the migration. */
  noHooks?: boolean;
}

/** A release of the chart in a namespace. */
export class Release {
  constructor(
    readonly namespace: Namespace,
    /** What each of its revisions has. */
    private readonly always: Wanted = {},
    readonly name = 'toolmark',
  ) {}

  /** Installs or upgrades, and waits until all of it is ready. */
  upgrade(wanted: Wanted = {}): Promise<Ended> {
    const { tag = 'one', files = [], set = {}, timeout = '300s', noHooks = false } = { ...this.always, ...wanted };
    const values = Object.entries({
      'image.repository': IMAGES.repository,
      'image.tag': IMAGES.tags[tag],
      'image.pullPolicy': 'IfNotPresent',
      // Where the simulator of the test is. The earlier release knows only the switch.
      ...(tag === 'earlier' ? { allowPrivateNetworks: true } : { 'allowedNetworks[0]': MODELS }),
      ...this.always.set,
      ...set,
    });
    return this.helm(
      'upgrade',
      this.name,
      CHART,
      '--install',
      '--wait',
      `--timeout=${timeout}`,
      ...(noHooks ? ['--no-hooks'] : []),
      ...files.map((name) => `--values=${CHART}/values/${name}.yaml`),
      ...values.map(([name, value]) => `--set=${name}=${value}`),
    );
  }
  /** Fails with all that helm printed, and with what the pods say, if it does not succeed. */
  async upgraded(wanted?: Wanted): Promise<string> {
    const { status, output } = await this.upgrade(wanted);
    if (status !== 0) throw new Error(`${output}\n${await this.trouble()}`);
    return output;
  }
  helm(...args: string[]): Promise<Ended> {
    return run(HELM, ['--namespace', this.namespace.name, ...args]);
  }

  async ready(component: string): Promise<Pod[]> {
    return (await this.namespace.pods(component)).filter(isReady);
  }
  /** Waits until a component has this many ready pods and no others. @returns them */
  untilPods(component: string, count: number, timeoutMs = 120_000): Promise<Pod[]> {
    return until(
      async () => {
        const pods = (await this.namespace.pods(component)).filter(({ status }) => status.phase !== 'Succeeded');
        return pods.length === count && pods.every(isReady) ? pods : undefined;
      },
      { what: `${count} ready pods of ${component}`, timeoutMs },
    );
  }
  /** Everything that a person would look at. */
  async trouble(): Promise<string> {
    const pods = await this.namespace.try('get', 'pods,jobs,events', '--sort-by=.metadata.creationTimestamp');
    const logs = await Promise.all(
      (await this.namespace.pods()).map(({ metadata: { name } }) =>
        this.namespace.try('logs', name, '--all-containers', '--tail=15').then(({ output }) => `== ${name}\n${output}`),
      ),
    );
    return [pods.output, ...logs].join('\n');
  }
}

/** So that two workers, two APIs and those that replace them have room on a machine of two cores. */
export const LOCAL_VALUES = {
  'api.replicas': 2,
  'worker.replicas': 2,
  'api.cpuRequest': '50m',
  'worker.cpuRequest': '50m',
  ...Object.fromEntries(
    (process.env.TOOLMARK_KUBERNETES_VALUES ?? '')
      .split(',')
      .filter(Boolean)
      .map((value) => value.split('=') as [string, string]),
  ),
};
