import { readFileSync } from 'node:fs';
import { clientOf, type Client } from '../client.js';
import { until } from '../until.js';
import { isReady, startListening, type Namespace } from './cluster.js';

interface Calls {
  answered: number;
  failed: string[];
  slowest_ms: number;
}
/** A pod that calls the API through its Service all the time, and through which the test reaches Services. */
export interface Visitor {
  /** The API, as an owner. */
  client: Client;
  /** The URL of a Service, for the test: `toolmark-simulator:8502`. */
  urlOf(host: string): string;
  /** Its own calls so far, 40 a second. */
  calls(): Promise<Calls>;
  forgetCalls(): Promise<unknown>;
}

/** @param secret has `TOOLMARK_ADMIN_TOKEN`. @param image has Node */
export async function startVisitor(
  namespace: Namespace,
  { api, secret, image }: { api: string; secret: string; image: string },
): Promise<Visitor> {
  const script = readFileSync('test/kubernetes/visitor.mjs', 'utf8');
  const metadata = { name: 'visitor' };
  await namespace.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'visitor.mjs': script } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'visitor',
            image,
            imagePullPolicy: 'IfNotPresent',
            command: ['node', '/visitor/visitor.mjs'],
            env: [
              { name: 'API_URL', value: `http://${api}` },
              { name: 'TOKEN', valueFrom: { secretKeyRef: { name: secret, key: 'TOOLMARK_ADMIN_TOKEN' } } },
            ],
            volumeMounts: [{ name: 'script', mountPath: '/visitor' }],
          },
        ],
        volumes: [{ name: 'script', configMap: { name: metadata.name } }],
      },
    },
  );
  await until(async () => isReady(await namespace.get('pods/visitor')), { what: 'the visitor' });
  const port = await startListening(
    ['--namespace', namespace.name, 'port-forward', 'pod/visitor', ':8080'],
    /127\.0\.0\.1:(\d+)/,
  );
  const { TOOLMARK_ADMIN_TOKEN: token } = (await namespace.get(`secrets/${secret}`)).data;
  const url = `http://127.0.0.1:${port}`;
  const urlOf = (host: string): string => `${url}/to/${host}`;
  return {
    client: clientOf(urlOf(api), Buffer.from(token, 'base64').toString()),
    urlOf,
    calls: async () => (await fetch(`${url}/calls`)).json() as Promise<Calls>,
    forgetCalls: () => fetch(`${url}/calls`, { method: 'DELETE' }),
  };
}
