// Reads the queries of the dashboard and of the alerts, and checks their metrics and labels.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Labels that Prometheus gives to every series of a target. */
const TARGET = ['namespace', 'pod', 'container', 'job', 'instance'];
/** Series of others: Prometheus itself, and kube-state-metrics. */
const OTHERS = {
  up: [],
  ALERTS: ['alertname', 'alertstate', 'severity', 'lane', 'lane_name'],
  kube_deployment_status_replicas_unavailable: ['deployment'],
  kube_job_failed: ['job_name', 'condition'],
};

/** @returns the alerts, as Prometheus reads them */
export const readAlerts = (root) =>
  parse(readFileSync(join(root, 'deploy/helm/toolmark/alerts.yaml'), 'utf8')).groups.flatMap(({ rules }) => rules);

export const readDashboard = (root) => JSON.parse(readFileSync(join(root, 'deploy/grafana/toolmark.json'), 'utf8'));

/** @returns every query with its place, and the labels that its legend or its texts show */
export function readQueries(root) {
  const dashboard = readDashboard(root);
  const variables = dashboard.templating.list.flatMap(({ name, query: { query } = {} }) => {
    const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(query ?? '') ?? [];
    return selector ? [{ place: `variable ${name}`, expression: withoutVariables(selector), shown: [label] }] : [];
  });
  const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat = '' }) => ({
      place: `panel ${title}`,
      expression: withoutVariables(expr),
      shown: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label),
    })),
  );
  const alerts = readAlerts(root).map(({ alert, expr, annotations }) => ({
    place: `alert ${alert}`,
    expression: expr,
    shown: [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label),
  }));
  return [...variables, ...panels, ...alerts];
}

/** As Grafana asks it. */
const withoutVariables = (expression) =>
  expression
    .replaceAll(/\$__(rate_interval|range)\b/g, '5m')
    .replaceAll('$slots_per_worker', '400')
    .replaceAll(/"\$\w+"/g, '".*"');

/**
 * @param modules the node_modules of deploy/tools
 * @param labelsOf the labels of a series by its name, such as toolmark_settle_seconds_bucket: 'any' if they are
 * not known, undefined if there is no such series
 * @returns a function that checks a query
 */
export function queryChecker(modules, labelsOf) {
  const { parser } = createRequire(`${modules}/`)('@prometheus-io/lezer-promql');
  return ({ place, expression, shown }) => {
    const query = new Query(expression, (name) => OTHERS[name] ?? labelsOf(name));
    const labels = query.labelsOf(parser.parse(expression).topNode.firstChild);
    for (const label of shown) query.expectLabel(label, labels, 'what is shown');
    return { metrics: query.metrics, faults: query.faults.map((fault) => `${place}: ${fault} in ${expression}`) };
  };
}

/** A query as a tree: which labels does each part of it have? */
class Query {
  faults = [];
  metrics = new Set();

  constructor(text, labelsOfSeries) {
    this.text = text;
    this.labelsOfSeries = labelsOfSeries;
  }

  textOf = ({ from, to }) => this.text.slice(from, to);

  expectLabel(label, labels, where) {
    if (labels && !labels.includes(label)) this.faults.push(`the label ${label} of ${where} is not there`);
  }

  /** @returns the labels of a part's series; undefined for a number, and if they are not known */
  labelsOf(part) {
    if (!part || part.type.isError || hasError(part)) {
      if (!this.faults.includes('a syntax error')) this.faults.push('a syntax error');
      return [];
    }
    switch (part.name) {
      case 'VectorSelector':
        return this.selector(part);
      case 'AggregateExpr':
        return this.aggregation(part);
      case 'BinaryExpr':
        return this.binary(part);
      case 'FunctionCall':
        return this.call(part);
      default: // Parentheses, ranges, offsets, signs: as what is in them.
        return this.labelsIn(part);
    }
  }

  selector(part) {
    const name = this.textOf(part.getChild('Identifier'));
    const own = this.labelsOfSeries(name);
    this.metrics.add(name);
    if (!own) this.faults.push(`${name} does not exist`);
    if (!own || own === 'any') return undefined;
    const labels = [...TARGET, ...own];
    for (const matcher of part.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [])
      this.expectLabel(this.textOf(matcher.getChild('LabelName')), labels, name);
    return labels;
  }

  aggregation(part) {
    const labels = this.labelsIn(part.getChild('FunctionCallBody'));
    const modifier = part.getChild('AggregateModifier');
    const named = modifier ? this.groupingOf(modifier) : [];
    for (const label of named) this.expectLabel(label, labels, 'a group');
    if (part.getChild('AggregateOp').firstChild?.name.match(/^(Topk|Bottomk)$/)) return labels;
    return modifier?.getChild('Without') ? labels?.filter((label) => !named.includes(label)) : named;
  }

  binary(part) {
    const [left, right] = [this.labelsOf(part.firstChild), this.labelsOf(part.lastChild)];
    const modifier = part.getChild('MatchingModifierClause');
    const matched = modifier ? this.groupingOf(modifier) : [];
    for (const side of [left, right]) for (const label of matched) this.expectLabel(label, side, 'on()');
    return left ?? right;
  }

  call(part) {
    if (this.textOf(part.firstChild) === 'vector') return [];
    return this.labelsIn(part.getChild('FunctionCallBody'));
  }

  /** Of the one part that is not a number. */
  labelsIn = (part) =>
    childrenOf(part)
      .map((child) => this.labelsOf(child))
      .find((labels) => labels !== undefined);

  /** The labels in the first brackets of by(), without() or on(). */
  groupingOf = (modifier) =>
    modifier
      .getChild('GroupingLabels')
      .getChildren('LabelName')
      .map((label) => this.textOf(label));
}

function childrenOf(part) {
  const children = [];
  for (let child = part.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

function hasError(part) {
  let found = false;
  part.cursor().iterate((node) => void (found ||= node.type.isError));
  return found;
}
