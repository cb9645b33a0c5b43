import { isDeepStrictEqual } from 'node:util';
import { defaultCachePolicy } from '#lib/contracts/cache-policy';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { metricName, type RunMetric } from '#lib/contracts/metric';
import type { RunConfig } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import type { ExperimentRun } from '#lib/db/read/experiment-runs';

type Run = Pick<ExperimentRun, 'config' | 'targets' | 'suiteVersion'>;

/** Summarises how a run's settings differ from those of its baseline: "temperature 0.7, system prompt". */
export function summariseConfig(run: Run, baseline: Run | undefined): string {
  if (!baseline) return 'no baseline';
  const words = changedSettings(run, baseline);
  return words.length ? words.join(', ') : 'as baseline';
}

/** The settings of a run that differ from those of another, each with its value: "temperature 0.7". */
export function changedSettings(run: Run, baseline: Run): string[] {
  const isRecorded = [...run.targets, ...baseline.targets].some(({ recorded }) => recorded);
  return [
    ...(run.suiteVersion === baseline.suiteVersion ? [] : [`suite version ${run.suiteVersion}`]),
    ...modelWords(run, baseline),
    ...SETTINGS.flatMap(([name, inWords]) => {
      if (isRecorded && !KNOWN_OF_RECORDED.has(name)) return [];
      const isSame = isDeepStrictEqual(effectOf(run, name), effectOf(baseline, name));
      return isSame ? [] : [inWords(run.config[name] ?? null)];
    }),
    ...paramWords('', run.config.params, baseline.config.params),
  ];
}

const named = (name: string) => (value: Json) => (value === null ? `no ${name}` : `${name} ${toText(value)}`);

/** The effective value of a setting. Two settings with the same effect do not differ, however they were written. */
function effectOf({ config }: Run, name: string): Json {
  const value = config[name] ?? null;
  switch (name) {
    case 'system_prompt':
      return value === '' ? null : value;
    case 'tool_overrides': // Missing in runs of earlier releases.
      return value ?? {};
    case 'case_filter':
      return filterWords(value);
    case 'cache': // The default follows from other settings, which are listed themselves.
      return value === defaultCachePolicy(config as unknown as RunConfig) ? null : value;
    default:
      return value;
  }
}

/** A recorded run sent no requests, so its other settings are unknown. */
const KNOWN_OF_RECORDED = new Set(['samples', 'metrics']);

/** Settings of a run in the order in which they matter to a reader. */
const SETTINGS: [name: string, inWords: (value: Json) => string][] = [
  ['temperature', named('temperature')],
  ['tool_choice', named('tool choice')],
  ['system_prompt', (value) => (value === null || value === '' ? 'no system prompt' : 'system prompt')],
  ['base_prompt', (value) => (value === null ? "the suite's prompt" : value === '' ? 'no base prompt' : 'base prompt')],
  ['tool_overrides', overrideWords],
  ['case_filter', filterWords],
  ['samples', (value) => `${toText(value)} ${value === 1 ? 'sample' : 'samples'}`],
  ['max_tokens', named('token limit')],
  ['timeout_s', (value) => `timeout ${toText(value)} s`],
  ['metrics', metricWords],
  ['model_order', (value) => (value === 'parallel' ? 'models in parallel' : 'models in sequence')],
  ['budget', (value) => (value === null ? 'no budget' : 'budget')],
  ['cache', named('cache')],
  ['prompt_cache', named('provider cache')],
];

function filterWords(filter: Json): string {
  if (!isObject(filter)) return 'all cases';
  const { category, tags } = filter;
  const parts = [
    ...(category === undefined ? [] : [`category ${toText(category)}`]),
    ...(Array.isArray(tags) && tags.length ? [`tags ${tags.map((tag) => toText(tag)).join(' or ')}`] : []),
  ];
  return parts.length ? `cases with ${parts.join(' and ')}` : 'all cases';
}

function overrideWords(overrides: Json): string {
  const count = Object.keys(asObject(overrides)).length;
  if (count === 0) return "the suite's descriptions of tools";
  return `${count} other ${count === 1 ? 'description' : 'descriptions'} of tools`;
}

function metricWords(metrics: Json): string {
  const names = ((metrics ?? []) as unknown as RunMetric[]).map(metricName);
  return names.length ? `metrics ${names.join(' and ')}` : 'no metrics';
}

/** Other models, or the same ones with other parameters. Their order does not matter. */
function modelWords(run: Run, baseline: Run): string[] {
  const before = new Map(baseline.targets.map((target) => [targetName(target), target]));
  const isSame = run.targets.length === before.size && run.targets.every((target) => before.has(targetName(target)));
  if (!isSame) return [`${run.targets.length === 1 ? 'model' : 'models'} ${run.targets.map(targetName).join(' and ')}`];
  return run.targets.flatMap((target) =>
    paramWords(
      run.targets.length > 1 ? ` of ${targetName(target)}` : '',
      target.params,
      before.get(targetName(target))!.params,
    ),
  );
}

/** Request parameters that differ, such as "top_p 0.9". */
function paramWords(of: string, params: Json | undefined, before: Json | undefined): string[] {
  const [now, then] = [asObject(params), asObject(before)];
  return [...new Set([...Object.keys(now), ...Object.keys(then)])].flatMap((name) => {
    if (isDeepStrictEqual(now[name], then[name])) return [];
    const value = now[name];
    if (value === undefined) return [`no ${name}${of}`];
    return [
      typeof value === 'object' && value !== null && !('rawJSON' in value)
        ? name + of
        : `${name}${of} ${toText(value)}`,
    ];
  });
}

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
