import { spawn } from 'node:child_process';
import { afterFile } from '../after-file.js';
import { until } from '../until.js';
import { KUBECTL, run, succeed } from './commands.js';

export interface Pod {
  metadata: { name: string; uid: string; deletionTimestamp?: string; labels: Record<string, string> };
  spec: { containers: { image: string; securityContext?: object }[]; nodeName?: string };
  status: {
    phase: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}
export const isReady = ({ metadata, status }: Pod): boolean =>
  !metadata.deletionTimestamp &&
  (status.conditions ?? []).some(({ type, status: state }) => type === 'Ready' && state === 'True');

/** A namespace of its own, which is deleted with the test file. */
export class Namespace {
  private constructor(
    readonly name: string,
    /** The API of Kubernetes, as `kubectl proxy` offers it without keys. */
    private readonly proxy: string,
  ) {}

  static async create(name: string): Promise<Namespace> {
    await succeed(KUBECTL, ['create', 'namespace', name]);
    afterFile(() => run(KUBECTL, ['delete', 'namespace', name, '--wait', '--timeout=100s']));
    return new Namespace(name, await proxyUrl());
  }

  kubectl(...args: string[]): Promise<string> {
    return succeed(KUBECTL, ['--namespace', this.name, ...args]);
  }
  try(...args: string[]) {
    return run(KUBECTL, ['--namespace', this.name, ...args]);
  }
  apply(...objects: object[]): Promise<string> {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    return succeed(KUBECTL, ['--namespace', this.name, 'apply', '--filename', '-'], { input: list });
  }

  /** @param path below the namespace, such as `pods`. @param group such as `apps/v1`; without one it is the core */
  async get(path: string, group?: string): Promise<any> {
    const response = await this.#fetch(path, group);
    return response.json();
  }
  /** The metrics that a pod exposes. */
  async metrics(pod: string, port: number): Promise<string> {
    return (await this.#fetch(`pods/${pod}:${port}/proxy/metrics`)).text();
  }
  /** kubectl would use the version of the API that the cluster prefers, which may lack the field. */
  patch(path: string, group: string, change: object): Promise<unknown> {
    const headers = { 'content-type': 'application/merge-patch+json' };
    return this.#fetch(path, group, { method: 'PATCH', headers, body: JSON.stringify(change) });
  }
  async #fetch(path: string, group?: string, options?: RequestInit): Promise<Response> {
    const base = group ? `apis/${group}` : 'api/v1';
    const response = await fetch(`${this.proxy}/${base}/namespaces/${this.name}/${path}`, options);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Of a component of the release: `api`, `worker`, `postgres`; also those that are being deleted. */
  async pods(component?: string): Promise<Pod[]> {
    const selector = component ? `?labelSelector=app.kubernetes.io/component%3D${component}` : '';
    return (await this.get(`pods${selector}`)).items;
  }
  /** Runs a shell in a pod. @returns what it printed, on both streams */
  async shell(pod: string, script: string): Promise<string> {
    return (await this.try('exec', pod, '--', 'sh', '-c', script)).output.trim();
  }
}

let proxy: Promise<string> | undefined;
function proxyUrl(): Promise<string> {
  afterFile(() => (proxy = undefined));
  return (proxy ??= startListening(['proxy', '--port=0'], /to serve on (\S+)/).then((address) => `http://${address}`));
}

/** Starts a kubectl that listens until the test file ends. @returns what the expression finds in its output */
export function startListening(args: string[], expression: RegExp): Promise<string> {
  const child = spawn(KUBECTL, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  afterFile(() => child.kill());
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  return until(() => expression.exec(text)?.[1], { what: `kubectl ${args.join(' ')} to listen`, timeoutMs: 20_000 });
}
