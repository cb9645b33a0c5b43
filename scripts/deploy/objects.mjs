// Rules for rendered objects that no schema holds: how pods are restricted, and that objects find each other.

/** That of every rendering: not the one of alerts.yaml, which the chart replaces. */
export const NAMESPACE = 'prod';
const LABELS = ['name', 'instance', 'component', 'version', 'managed-by'].map((name) => `app.kubernetes.io/${name}`);
const MOST_NAME = 63;

/** The template of the pods that an object makes. */
const podTemplate = ({ kind, spec }) => (kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template);
const matches = (selector, labels = {}) =>
  Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value);

/**
 * @param objects all objects of a rendering
 * @returns a sentence for each fault
 */
export function faultsOf(objects) {
  const names = new Set();
  return objects.flatMap((object) => {
    const { kind, metadata = {} } = object;
    const name = `${kind} ${metadata.name}`;
    const faults = metadataFaults(object);
    if (names.has(name)) faults.push('is there twice');
    names.add(name);
    const pods = podTemplate(object);
    if (pods?.spec?.containers) faults.push(...podFaults(pods.spec), ...referenceFaults(pods.spec, objects));
    faults.push(...selectorFaults(object, objects), ...ruleFaults(object));
    return faults.map((fault) => `${name} ${fault}`);
  });
}

function metadataFaults({ kind, apiVersion, metadata = {} }) {
  const faults = [];
  if (!kind || !apiVersion) faults.push('lacks its kind or apiVersion');
  if (!metadata.name) faults.push('has no name');
  if (String(metadata.name).length > MOST_NAME) faults.push(`has a name of more than ${MOST_NAME} characters`);
  const missing = LABELS.filter((label) => !metadata.labels?.[label]);
  if (missing.length > 0) faults.push(`lacks the labels ${missing.join(', ')}`);
  return faults;
}

/** What the profile `restricted` of pod security wants, and what this chart wants beyond it. */
function podFaults(spec) {
  const faults = [];
  const expect = (isRight, fault) => isRight || faults.push(fault);
  expect(spec.automountServiceAccountToken === false, 'mounts a token of a service account');
  expect(spec.enableServiceLinks === false, 'gets variables of all Services (enableServiceLinks)');
  expect(spec.securityContext?.runAsNonRoot === true, 'may run as root (runAsNonRoot)');
  expect(spec.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'has no seccompProfile RuntimeDefault');
  for (const container of [...(spec.initContainers ?? []), ...spec.containers])
    faults.push(...containerFaults(container, spec).map((fault) => `has a container ${container.name} that ${fault}`));
  return faults;
}

function containerFaults({ image, securityContext = {}, resources = {}, env = [], volumeMounts = [] }, spec) {
  const faults = [];
  const expect = (isRight, fault) => isRight || faults.push(fault);
  expect(securityContext.allowPrivilegeEscalation === false, 'may gain privileges');
  expect(securityContext.readOnlyRootFilesystem === true, 'may write to its root file system');
  expect(securityContext.capabilities?.drop?.includes('ALL'), 'keeps capabilities');
  expect(resources.requests?.cpu && resources.requests.memory, 'requests no CPU or no memory');
  expect(resources.limits?.memory, 'has no limit of memory');
  expect(!resources.limits?.cpu, 'has a limit of CPU, which slows it down while the node is idle');
  expect(/:[^/]+$/.test(image ?? ''), 'has an image without a tag');
  const variables = env.map((variable) => variable.name);
  const twice = variables.filter((variable, at) => variables.indexOf(variable) !== at);
  expect(twice.length === 0, `has variables twice: ${twice.join(', ')}`);
  const volumes = (spec.volumes ?? []).map((volume) => volume.name);
  const lost = volumeMounts.filter((mount) => !volumes.includes(mount.name));
  expect(lost.length === 0, `mounts volumes that are not there: ${lost.map((mount) => mount.name).join(', ')}`);
  return faults;
}

/** A Secret or ConfigMap by the name of the release has to be among the objects; others are the operator's. */
function referenceFaults(spec, objects) {
  const named = JSON.stringify(spec).matchAll(
    /"(?:secretKeyRef|configMapKeyRef|secretRef|configMapRef)":\{"name":"([^"]*)"/g,
  );
  const own = [...new Set([...named].map(([, name]) => name))].filter((name) => name.startsWith('toolmark-'));
  return own
    .filter(
      (name) => !objects.some(({ kind, metadata }) => /^(Secret|ConfigMap)$/.test(kind) && metadata.name === name),
    )
    .map((name) => `refers to ${name}, which is not there`);
}

/** Selectors have to find pods, and named ports have to be those of their containers. */
function selectorFaults({ kind, spec = {} }, objects) {
  const pods = objects.map(podTemplate).filter((template) => template?.spec?.containers);
  const found = (selector) => pods.filter(({ metadata }) => matches(selector, metadata?.labels));
  const portsOf = (templates) =>
    templates.flatMap((template) =>
      template.spec.containers.flatMap(({ ports = [] }) => ports.map((port) => port.name)),
    );
  const faults = [];
  if (kind === 'Service' && spec.selector) {
    const selected = found(spec.selector);
    if (selected.length === 0) faults.push('selects no pod');
    for (const { name, targetPort = name } of spec.ports ?? [])
      if (typeof targetPort === 'string' && !portsOf(selected).includes(targetPort))
        faults.push(`leads to the port ${targetPort}, which its pods do not have`);
  }
  if (kind === 'Deployment' && !matches(spec.selector?.matchLabels, spec.template?.metadata?.labels))
    faults.push('does not select its own pods');
  const selector = { PodDisruptionBudget: spec.selector, PodMonitor: spec.selector, NetworkPolicy: spec.podSelector }[
    kind
  ];
  if (selector?.matchLabels && found(selector.matchLabels).length === 0) faults.push('selects no pod');
  const target = spec.scaleTargetRef;
  if (
    target &&
    !objects.some((each) => each.kind === (target.kind ?? 'Deployment') && each.metadata.name === target.name)
  )
    faults.push(`scales ${target.name}, which is not there`);
  return faults;
}

/** Rules are for the namespace that is rendered, and lead to a page. */
function ruleFaults({ kind, spec }) {
  const rules = kind === 'PrometheusRule' ? spec.groups.flatMap((group) => group.rules) : [];
  return rules
    .filter(
      ({ expr, annotations }) =>
        !expr.includes(`namespace="${NAMESPACE}"`) || !/^https?:/.test(annotations.runbook_url),
    )
    .map(({ alert }) => `has ${alert}, which is not for the namespace of the release or leads to no page`);
}
