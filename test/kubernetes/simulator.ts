import { until } from '../until.js';
import { isReady, type Namespace } from './cluster.js';

/** Where the pods reach the simulator of the test. The chart's own goes with each upgrade, and its counters with it. */
export const MODELS = 'models:8502';

export async function startSimulator(namespace: Namespace, image: string): Promise<void> {
  const metadata = { name: 'models', labels: { app: 'models' } };
  const ports = [{ port: 8502, protocol: 'TCP' }];
  const container = { name: 'models', image, imagePullPolicy: 'IfNotPresent', args: ['simulator'] };
  await namespace.apply(
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: metadata.labels, ports } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { automountServiceAccountToken: false, terminationGracePeriodSeconds: 1, containers: [container] },
    },
  );
  await until(async () => isReady(await namespace.get('pods/models')), { what: 'the simulator' });
}
