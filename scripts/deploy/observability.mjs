// What has to hold for the dashboard and the alerts, together with docs/metrics.md and docs/kubernetes.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../debian-package.mjs';
import { root } from '../set-up.mjs';
import { queryChecker, readAlerts, readDashboard, readQueries } from './queries.mjs';
import { CHART, CHECKS } from './render.mjs';
import { installTools } from './tools.mjs';

const SEVERITIES = ['page', 'ticket'];
const RUNBOOK = 'docs/kubernetes.md';

export function dashboardFaults() {
  const { uid, panels } = readDashboard(root);
  const faults = uid === 'toolmark' ? [] : ['the uid of the dashboard is part of its address: leave it toolmark'];
  const ids = panels.map(({ id }) => id);
  if (new Set(ids).size < ids.length) faults.push('the dashboard has two panels with one id');
  for (const { type, title, description } of panels)
    if (type !== 'row' && !/Normal: /.test(description ?? ''))
      faults.push(`panel ${title}: its description does not say what is normal ("Normal: ...")`);
  return faults;
}

export function alertFaults() {
  const alerts = readAlerts(root);
  const page = join(root, RUNBOOK);
  const sections = existsSync(page) ? readFileSync(page, 'utf8').matchAll(/^### (Toolmark\w+)$/gm) : [];
  const explained = [...sections].map(([, name]) => name);
  const faults = alerts.flatMap(({ alert, labels = {}, annotations = {} }) => {
    const expect = (isRight, fault) => (isRight ? [] : [`alert ${alert} ${fault}`]);
    return [
      ...expect(SEVERITIES.includes(labels.severity), `has no severity (${SEVERITIES.join(' or ')})`),
      ...expect(annotations.summary && annotations.description, 'has no summary or description'),
      ...expect(annotations.runbook_url === `${RUNBOOK}#${alert.toLowerCase()}`, 'does not lead to its section'),
      ...expect(explained.includes(alert), `has no section "### ${alert}" in ${RUNBOOK}`),
    ];
  });
  const names = alerts.map(({ alert }) => alert);
  // Two installations may share a Prometheus.
  const everywhere = readQueries(root).filter(
    ({ place, expression }) =>
      /^alert /.test(place) && /\b(toolmark_|kube_|up\b)\w*(?!\w|\{namespace="toolmark")/.test(expression),
  );
  const lost = explained.filter((name) => !names.includes(name));
  return [
    ...faults,
    ...everywhere.map(({ place }) => `${place} reads a metric of all namespaces: {namespace="toolmark"} is missing`),
    ...lost.map((name) => `${RUNBOOK} explains ${name}, which is not an alert`),
    ...promtoolFaults(),
  ];
}

/** Where Prometheus is installed, its own tool reads the rules, and plays the stories of their tests. */
function promtoolFaults() {
  const promtool = findOnPath('promtool');
  if (!promtool) return [];
  const run = (...args) => spawnSync(promtool, args, { cwd: CHECKS, encoding: 'utf8' });
  return [run('check', 'rules', join(CHART, 'alerts.yaml')), run('test', 'rules', 'alerts.test.yaml')]
    .filter(({ status }) => status !== 0)
    .map(({ stdout, stderr }) => `promtool: ${stdout}${stderr}`);
}

/** The metrics of APIs and workers in docs/metrics.md, which a test compares with those of running processes. */
function documentedMetrics() {
  const sections = readFileSync(join(root, 'docs/metrics.md'), 'utf8').split(/^## /m);
  return sections
    .filter((section) => /^(API|Worker)\b/.test(section))
    .flatMap((section) => [...section.matchAll(/^\| `(\w+)` +\|(.*)\|(.*)\|$/gm)])
    .map(([, name, question, alert]) => ({
      name,
      isDeprecated: /deprecated/i.test(question),
      deservesAlert: alert.trim() !== '',
    }));
}

/** Labels are checked by test/long/metrics.e2e.spec.ts, against running processes. */
export function queryFaults() {
  const documented = documentedMetrics();
  const base = (series) => series.replace(/_(bucket|sum|count)$/, '');
  const isKnown = (series) =>
    /^(process|nodejs)_/.test(series) || documented.some(({ name }) => name === series || name === base(series));
  const check = queryChecker(installTools(), (series) => (isKnown(series) ? 'any' : undefined));
  const checked = readQueries(root).map((query) => ({ ...check(query), isAlert: query.place.startsWith('alert ') }));
  const used = (isAlert) =>
    new Set(checked.filter((each) => each.isAlert === isAlert).flatMap(({ metrics }) => [...metrics].map(base)));
  const [shown, watched] = [used(false), used(true)];
  return [
    ...checked.flatMap(({ faults }) => faults),
    ...documented
      .filter(({ name, isDeprecated }) => !isDeprecated && !shown.has(name))
      .map(({ name }) => `docs/metrics.md has ${name}, and no panel of the dashboard shows it`),
    ...documented
      .filter(({ name, isDeprecated, deservesAlert }) => deservesAlert && !isDeprecated && !watched.has(name))
      .map(({ name }) => `docs/metrics.md says that ${name} is worth an alert, and there is none`),
  ];
}
