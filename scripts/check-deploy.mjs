// npm run check:deploy: renders the chart as operators do, and checks what comes out, the dashboard and the alerts. It
// needs no cluster, and no network once deploy/tools is installed.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { alertFaults, dashboardFaults, queryFaults } from './deploy/observability.mjs';
import { faultsOf } from './deploy/objects.mjs';
import { allValues, CHART, CHECKS, helm, readObjects, refusal, template } from './deploy/render.mjs';
import { compile, dashboardSources, objectSource } from './deploy/types.mjs';

/** The oldest Kubernetes that the chart is for. Without a version, helm renders for its own, the newest. */
const OLDEST = '1.20';
/** Versions of Kubernetes' API that the oldest does not have yet, and that the newest has no more. */
const NOT_YET = ['policy/v1', 'autoscaling/v2', 'batch/v1 CronJob'];
const NO_MORE = /^(apps|autoscaling|batch|extensions|networking\.k8s\.io|policy)\/v\d+beta\d+/;

const faults = [];
/** Every different object, to be held against its type. */
const objects = new Map();
const values = Object.entries(allValues());

async function checkRendering(name, args, kubeVersion) {
  const place = kubeVersion ? `${name} for Kubernetes ${kubeVersion}` : name;
  const { code, stdout, stderr } = await template(args, kubeVersion);
  if (code !== 0) return void faults.push(`${place}: ${stderr.trim()}`);
  const rendered = readObjects(stdout);
  const found = [...rendered.faults, ...faultsOf(rendered.objects.map(({ object }) => object))];
  faults.push(...found.map((fault) => `${place}: ${fault}`));
  for (const { object, template: from } of rendered.objects) {
    const { apiVersion, kind, metadata } = object;
    const version = `${apiVersion} ${kind}`;
    const isMissing = kubeVersion ? NOT_YET.includes(apiVersion) || NOT_YET.includes(version) : NO_MORE.test(version);
    const source = objectSource(object);
    if (isMissing || !source) faults.push(`${place}: this Kubernetes has no ${version}, as in ${from}`);
    else if (!objects.has(source)) objects.set(source, `${place}, ${from}, ${kind} ${metadata?.name}`);
  }
}

async function checkLint(name, args) {
  const { code, stdout, stderr } = await helm('lint', CHART, '--strict', ...args);
  if (code !== 0) faults.push(`helm lint, ${name}: ${stdout}${stderr}`);
}

async function checkRefused({ values: given, says }) {
  const said = await refusal({ existingSecret: 'toolmark', ...given });
  const place = `wrong values ${JSON.stringify(given)}`;
  if (said === undefined) faults.push(`${place} are rendered`);
  else if (!said.replaceAll(/\s+/g, ' ').includes(says))
    faults.push(`${place} do not lead to "${says}" but to ${said}`);
}

const wrong = parse(readFileSync(join(CHECKS, 'wrong-values.yaml'), 'utf8'));
const checks = [
  ...values.map(
    ([name, args]) =>
      () =>
        checkRendering(name, args),
  ),
  ...values.map(
    ([name, args]) =>
      () =>
        checkRendering(name, args, OLDEST),
  ),
  ...values.map(
    ([name, args]) =>
      () =>
        checkLint(name, args),
  ),
  ...wrong.map((each) => () => checkRefused(each)),
];
// Each helm takes a core and 60 MB.
const turns = Array.from({ length: availableParallelism() }, async () => {
  while (checks.length > 0) await checks.shift()();
});
await Promise.all(turns);
faults.push(...compile(new Map([...objects, ...dashboardSources()])));
faults.push(...dashboardFaults(), ...alertFaults(), ...queryFaults());

for (const fault of faults) console.error(fault);
if (faults.length) process.exitCode = 1;
else
  console.log(
    `${values.length} sets of values make ${objects.size} different objects for Kubernetes of today and ${OLDEST}; ` +
      `${wrong.length} wrong ones are refused.`,
  );
