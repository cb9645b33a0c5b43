import { toInputErrors } from '#lib/contracts/input/input-errors';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { jsonPointer, type InputError } from '#lib/contracts/input/problem';
import { isObject, unwrapAllNumbers, type JsonObject } from '#lib/contracts/json/json';
import { metricName, type MetricAsked, type RunMetric } from '#lib/contracts/metric';
import type { SimilarityLookup } from './arguments/compare-leaves.js';
import { ragasToolCallF1 } from './metrics/ragas-tool-call-f1.js';
import { ragasToolCallAccuracy } from './metrics/ragas-tool-call-accuracy.js';
import { axionToolCorrectness } from './metrics/axion-tool-correctness.js';
import { axionSimilarity } from './metrics/axion-similarity.js';
import { difflibRatio } from './metrics/difflib-ratio.js';
import { deepevalToolCorrectness } from './metrics/deepeval-tool-correctness.js';
import { bfclAst } from './metrics/bfcl-ast.js';
import { agentevalsTrajectoryMatch } from './metrics/agentevals-trajectory-match.js';
import { promptfooToolCallF1 } from './metrics/promptfoo-tool-call-f1.js';
import type { Metric, MetricScore, PlayedCase } from './metrics/metric.js';
import { passHatKMetric } from './metrics/pass-hat-k.js';
import { toolmarkConversation, toolmarkMultiTurn, toolmarkSingleTurn } from './metrics/toolmark.js';

/** The house metrics, and public metrics reproduced to the last digit. */
export const METRICS: readonly Metric[] = [
  toolmarkSingleTurn,
  toolmarkMultiTurn,
  toolmarkConversation,
  ragasToolCallF1,
  ragasToolCallAccuracy,
  axionToolCorrectness,
  axionSimilarity,
  difflibRatio,
  deepevalToolCorrectness,
  bfclAst,
  agentevalsTrajectoryMatch,
  promptfooToolCallF1,
  passHatKMetric,
];

const byId = new Map(METRICS.map((metric) => [metric.id, metric]));
const ofRuns = METRICS.filter(({ notInRuns }) => notInRuns === undefined).map(({ id }) => id);

/** @throws Error that suggests the nearest metrics for an unknown id */
export function findMetric(id: string): Metric {
  const found = byId.get(id);
  if (!found) throw new Error(`No metric "${id}". ${suggestNames(id, [...byId.keys()], 'the metrics')}`);
  return found;
}

/**
 * Resolves the options of a metric: fills in defaults, and accepts what the reference accepts.
 * @param given an option that is null gets its default
 * @throws Error that names each wrong option or value, and the valid ones
 */
export function resolveOptions(metric: Metric, given: unknown): JsonObject {
  const { id, options, readOption = (_name, value) => value } = metric;
  if (!isObject(given ?? {}))
    throw new Error(
      '/options must be an object of options: ' +
        `${Object.keys(options.shape).join(', ') || `"${id}" has none, so leave it out`}.`,
    );
  const read = readOptions(
    metric,
    Object.fromEntries(
      Object.entries((given ?? {}) as JsonObject).flatMap(([name, value]) =>
        value === null && Object.hasOwn(options.shape, name) ? [] : [[name, readOption(name, value)]],
      ),
    ),
  );
  // The message for an unknown option is a complete sentence.
  if ('errors' in read)
    throw new Error(
      read.errors
        .map(({ path, message }) => (message.startsWith('"') ? message : `/options${path} ${message}.`))
        .join(' '),
    );
  return read.options;
}

/**
 * Scores one input with a metric. `scoreMetrics` derives the input from a case and the replies to it, and
 * `libs/recorded` from files of other tools.
 * @param similarities needed for a house metric whose case compares by meaning
 * @throws Error for an unknown metric, or when the input or the options are wrong
 */
export function scoreMetric(
  id: string,
  options: unknown,
  input: unknown,
  similarities?: SimilarityLookup,
): MetricScore {
  const metric = findMetric(id);
  return metric.score(input, resolveOptions(metric, options), similarities);
}

/**
 * Scores a played case with each metric of a run, under the metric's name in the run. A metric that does not apply to
 * the case, or whose reference would crash on it, gets the score null and a reason.
 */
export function scoreMetrics(metrics: readonly RunMetric[], played: PlayedCase): Record<string, MetricScore> {
  return Object.fromEntries(metrics.map((metric) => [metricName(metric), scoreOne(metric, played)]));
}

function scoreOne({ id, options }: RunMetric, played: PlayedCase): MetricScore {
  const metric = byId.get(id);
  // Runs of earlier releases may have a metric that does not support runs.
  const made = metric?.fromCase?.(played, options) ?? { notApplicable: metric?.notInRuns ?? `No metric "${id}".` };
  if ('notApplicable' in made) return { score: null, reason: made.notApplicable };
  if ('score' in made) return made.score;
  try {
    return scoreMetric(id, options, made.input, played.similarities);
  } catch (error) {
    return { score: null, reason: (error as Error).message };
  }
}

/**
 * Validates the metrics of a run request. Returns them ready to be stored with the run, and the errors. Paths are
 * pointers into the list.
 */
export function checkMetrics(asked: readonly MetricAsked[]): { metrics: RunMetric[]; errors: InputError[] } {
  const metrics: RunMetric[] = [];
  const errors: InputError[] = [];
  asked.forEach((one, index) => {
    const { id, as = id, options } = typeof one === 'string' ? { id: one, options: {} } : one;
    const fail = (path: PropertyKey[], message: string): void =>
      void errors.push({ path: jsonPointer([index, ...path]), message });
    const failId = (message: string): void => fail(typeof one === 'string' ? [] : ['id'], message);
    const metric = byId.get(id);
    if (!metric) return failId(`No metric "${id}". ${suggestNames(id, ofRuns, "a run's metrics")}`);
    if (metric.notInRuns !== undefined) return failId(`"${id}" cannot score a run. ${metric.notInRuns}`);
    if (as !== id && byId.has(as)) return fail(['as'], `"${as}" is the id of another metric. Use another name.`);
    if (metrics.some((other) => other.as === as)) return fail(['as'], `"${as}" is listed twice. Rename one with "as".`);
    const read = readOptions(metric, options);
    if (!('errors' in read)) return void metrics.push({ id, as, options: read.options });
    errors.push(...read.errors.map(({ path, message }) => ({ path: jsonPointer([index, 'options']) + path, message })));
  });
  // A worker of the previous release keeps one score per id, the last one. A metric named by its own id comes last, so
  // that the kept score is not that of another configuration.
  metrics.sort((a, b) => Number(a.as === a.id) - Number(b.as === b.id));
  return { metrics, errors };
}

/** The options of a metric with defaults filled in, or the errors. Paths are pointers into the options. */
function readOptions(
  { id, options: schema }: Metric,
  options: JsonObject,
): { options: JsonObject } | { errors: InputError[] } {
  const parsed = schema.safeParse(unwrapAllNumbers(options));
  if (parsed.success) return { options: parsed.data as JsonObject };
  const names = Object.keys(schema.shape);
  const unknown = (key: string): string =>
    `"${id}" has no option "${key}". ${names.length ? `Its options: ${names.join(', ')}.` : 'It has none.'}`;
  return {
    errors: parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: jsonPointer([key]), message: unknown(key) }))
        : toInputErrors([issue]),
    ),
  };
}
