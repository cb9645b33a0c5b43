// Renders the chart with helm, as an operator does.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { root } from '../set-up.mjs';
import { NAMESPACE } from './objects.mjs';
import { program } from './tools.mjs';

export const CHART = join(root, 'deploy/helm/toolmark');
export const CHECKS = join(root, 'deploy/check');

/** Helm's arguments for all values that have to work, by name: the chart's own files, and those of CHECKS. */
export function allValues() {
  const filesIn = (folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => [basename(name, '.yaml'), ['--values', join(folder, name)]]);
  return {
    defaults: ['--set', 'existingSecret=toolmark'],
    ...Object.fromEntries([...filesIn(join(CHART, 'values')), ...filesIn(join(CHECKS, 'values'))]),
  };
}

/** @returns the exit code, and what helm printed */
export async function helm(...args) {
  try {
    const { stdout, stderr } = await promisify(execFile)(program('helm'), args, { maxBuffer: 1 << 26 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return { code: error.code ?? 1, stdout: error.stdout ?? '', stderr: error.stderr || error.message };
  }
}

export const template = (args, kubeVersion) =>
  helm(
    'template',
    'toolmark',
    CHART,
    `--namespace=${NAMESPACE}`,
    ...(kubeVersion ? ['--kube-version', kubeVersion] : []),
    ...args,
  );

/** @returns what helm says when it refuses values; undefined if it renders them */
export async function refusal(values) {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-values-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const { code, stderr } = await template(['--values', file]);
    return code === 0 ? undefined : stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the objects, each with the template that it comes from, and the faults of the text */
export function readObjects(text) {
  const faults = [];
  const objects = [];
  // As Kubernetes reads YAML: an unquoted yes or on is not a string.
  for (const document of parseAllDocuments(text, { version: '1.1', schema: 'yaml-1.1', merge: false })) {
    faults.push(...[...document.errors, ...document.warnings].map(({ message }) => message));
    if (document.errors.length > 0) continue;
    const object = document.toJS();
    const comments = `${document.commentBefore ?? ''}\n${document.contents?.commentBefore ?? ''}`;
    if (object) objects.push({ object, template: /Source: toolmark\/(\S+)/.exec(comments)?.[1] });
  }
  return { objects, faults };
}
