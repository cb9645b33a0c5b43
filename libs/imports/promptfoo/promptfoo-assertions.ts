import { isNumber, isObject, toNumber, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { expectedArguments } from '#lib/scoring/arguments/matchers';
import { MAX_CALLS, UnsupportedTest, type Demands } from './expected-calls.js';
import { matchesPattern, type KnownTools, type Step } from './known-tools.js';
import { readJavascript } from './read-javascript.js';
import { isElsewhere, isTemplate, renderDeep, renderTemplate, valueAlone, type Scope } from './template.js';

/** The context for reading the assertions of a test. */
export interface AssertionContext {
  scope: Scope;
  tools: KnownTools;
  /** Whether a transform changes the output before assertions see it. */
  isTransformed: boolean;
  warn: (message: string) => void;
  /** Adds a warning about the whole file, once. */
  warnOfFile: (message: string) => void;
}

/** Assertions that check the provider's output, not a trace. */
const OF_OUTPUT = /^(?:not-)?(?:tool-call-f1|is-valid-.*|javascript)$/;

/**
 * Collects what assertions require of the calls. Calls `warn` for any other requirement.
 * @throws UnreadTest, UnreadTemplate
 */
export function readDemands(assertions: readonly Json[], context: AssertionContext): Demands {
  const demands: Demands = {
    used: [],
    most: [],
    only: [],
    sequences: [],
    args: [],
    positions: [],
    any: false,
    none: false,
  };
  if (countOf(assertions) > MAX_ASSERTIONS)
    throw new UnsupportedTest(`has more than the ${MAX_ASSERTIONS} assertions allowed per test`);
  for (const assertion of assertions) {
    if (isObject(assertion)) readOne(assertion, demands, context);
    else context.warn(`an assertion is not an object, and is not converted: ${JSON.stringify(assertion).slice(0, 80)}`);
  }
  return demands;
}

const MAX_ASSERTIONS = 200;

/** The number of assertions, including those in sets. */
const countOf = (assertions: readonly Json[]): number =>
  assertions.reduce<number>((sum, one) => {
    const inner = isObject(one) && Array.isArray(one.assert) ? one.assert : [];
    return sum + (sum > MAX_ASSERTIONS ? 0 : 1 + countOf(inner));
  }, 0);

function boundNames(names: readonly Json[], type: string): void {
  if (names.length > MAX_CALLS) throw new UnsupportedTest(`has ${type} with more than ${MAX_CALLS} names of tools`);
}

function readOne(assertion: JsonObject, demands: Demands, context: AssertionContext): void {
  const { type = null, value = null, threshold, assert, weight, transform } = assertion;
  const { warn } = context;
  if (type === 'assert-set' && Array.isArray(assert)) {
    if (threshold !== undefined)
      warn('the threshold of an assert-set is not converted: all of its assertions are expected');
    for (const inner of assert) if (isObject(inner)) readOne(inner, demands, context);
    return;
  }
  const unread = (why: string): void =>
    warn(
      `the assertion ${JSON.stringify(type)} is not ` +
        `converted${why}${typeof value === 'string' ? `: ${value.slice(0, 80)}` : ''}`,
    );
  if (typeof type !== 'string') return unread('');
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (!reader) return unread('');
  if (numberIn(weight) === 0) return unread(', because its weight is 0');
  if (OF_OUTPUT.test(type) && (context.isTransformed || transform !== undefined))
    return unread(', because a transform changes the output that it reads');
  if ([value].flat().some(isElsewhere)) return unread(', because its value is elsewhere');
  if (!reader({ ...assertion, value: filledIn(value, context) }, demands, context)) unread('');
}

const numberIn = (value: Json | undefined): number | undefined => (isNumber(value) ? toNumber(value) : undefined);

/** promptfoo renders variables in strings and in the strings of a list. */
function filledIn(value: Json, { scope, warnOfFile }: AssertionContext): Json {
  const text = (one: Json): Json => (typeof one === 'string' && isTemplate(one) ? renderTemplate(one, scope) : one);
  if (Array.isArray(value)) return value.map(text);
  if (!isObject(value)) return text(value);
  if (!JSON.stringify(value).includes('{{')) return value;
  warnOfFile('Variables are filled into the objects of assertions, which promptfoo compares as written.');
  const { args, arguments: older, ...rest } = value;
  return {
    ...(renderDeep(rest, scope) as JsonObject),
    ...(args !== undefined && { args }),
    ...(older !== undefined && { arguments: older }),
  };
}

/** Adds the requirements of an assertion. Returns false if it cannot be read. */
type Reader = (assertion: JsonObject & { value: Json }, demands: Demands, context: AssertionContext) => boolean;

const readF1: Reader = ({ value, threshold }, demands, { warn, warnOfFile }) => {
  const names = (typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(toText) : [])
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new UnsupportedTest('has tool-call-f1 without names of tools, which promptfoo refuses');
  const least = numberIn(threshold) ?? 1;
  if (least <= 0) warn('tool-call-f1 with a threshold of 0 holds for any calls, and is not converted');
  else if (least > 1) throw new UnsupportedTest('asks for a tool-call-f1 above 1, which no calls have');
  else {
    if (least < 1) warn('tool-call-f1 with a threshold below 1: all of its tools are expected here');
    const unique = [...new Set(names)];
    boundNames(unique, 'tool-call-f1');
    demands.only.push(unique);
    warnOfFile(
      'tool-call-f1 fails a reply that calls another tool, too. A case lets further calls pass; with ' +
        '"allow_extra_calls": false it fails on any.',
    );
  }
  return true;
};

const readUsed: Reader = ({ value }, demands, { tools }) => {
  for (const step of listedTools(value, 'trajectory:tool-used', tools)) demands.used.push({ step, least: 1 });
  if (!isObject(value)) return true;
  const step = stepOf(value, 'trajectory:tool-used', tools);
  const [least, most] = [numberIn(value.min) ?? 1, numberIn(value.max)];
  if (most !== undefined && most < least)
    throw new UnsupportedTest(
      `asks for "${step.name}" at least ${least} and at most ${most} times, which no calls do` +
        (value.min === undefined ? ' (without "min", promptfoo asks for one call; "min: 0" forbids the tool)' : ''),
    );
  if (least > 0) demands.used.push({ step, least });
  if (most !== undefined) demands.most.push({ step, most });
  return true;
};

const readNotUsed: Reader = ({ value }, demands, { tools }) => {
  for (const step of listedTools(value, 'not-trajectory:tool-used', tools)) demands.most.push({ step, most: 0 });
  if (!isObject(value)) return true;
  const least = numberIn(value.min) ?? 1;
  if (value.max !== undefined || least < 1) return false;
  demands.most.push({ step: stepOf(value, 'not-trajectory:tool-used', tools), most: Math.ceil(least) - 1 });
  return true;
};

const readSequence: Reader = ({ value }, demands, { tools }) => {
  const steps = isObject(value) ? value.steps : value;
  if (!Array.isArray(steps) || steps.length === 0)
    throw new UnsupportedTest('has trajectory:tool-sequence without steps, which promptfoo refuses');
  boundNames(steps, 'trajectory:tool-sequence');
  demands.sequences.push({
    steps: steps.map((step) => stepOf(step, 'trajectory:tool-sequence', tools)),
    isExact: isObject(value) && value.mode === 'exact',
  });
  return true;
};

const readArgs: Reader = ({ value }, demands, context) => {
  const type = 'trajectory:tool-args-match';
  const given = isObject(value) ? (Object.hasOwn(value, 'args') ? value.args : value.arguments) : undefined;
  if (!isObject(value) || given === undefined)
    throw new UnsupportedTest(`has ${type} without "args", which promptfoo refuses`);
  if (!isObject(given)) return false;
  const step = stepOf(value, type, context.tools);
  if (value.mode === 'exact') context.warn(`${type} is "exact": arguments beyond the expected ones cost nothing here`);
  const ignored = [value.ignore ?? []].flat().filter((one) => typeof one === 'string');
  if (ignored.length > MAX_CALLS) throw new UnsupportedTest(`has ${type} with more than ${MAX_CALLS} names to ignore`);
  const args = Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => !ignored.some((one) => matchesPattern(name, one)))
      .map(([name, one]) => [name, argument(one, context, () => context.tools.takesText(step, name))]),
  );
  const stripped = Object.entries(isObject(value.defaults) ? value.defaults : {}).find(
    ([name, one]) => Object.hasOwn(args, name) && JSON.stringify(args[name]) === JSON.stringify(one),
  );
  if (stripped)
    throw new UnsupportedTest(
      `expects the argument "${stripped[0].slice(0, 80)}" to be its default, which promptfoo takes out ` +
        'before it compares',
    );
  demands.args.push({ step, params: expectedArguments(args) });
  return true;
};

/**
 * An argument with its variables. A variable that is the whole text gives its own value, unless the tool expects a
 * string there.
 */
function argument(value: Json, { scope }: AssertionContext, takesText: () => boolean): Json {
  if (typeof value !== 'string' || !isTemplate(value)) return renderDeep(value, scope);
  const alone = valueAlone(value, scope);
  if (alone === undefined || alone === null || typeof alone === 'string') return renderTemplate(value, scope);
  return isObject(alone) || Array.isArray(alone) || !takesText() ? alone : renderTemplate(value, scope);
}

const anyCall: Reader = (_assertion, demands) => (demands.any = true);
const noCall: Reader = (_assertion, demands) => (demands.none = true);
const javascript: Reader = ({ value }, demands) => {
  const read = typeof value === 'string' ? readJavascript(value) : undefined;
  if (read) demands.positions.push(...read);
  return read !== undefined;
};

const READERS: Record<string, Reader> = {
  'is-valid-openai-tools-call': anyCall,
  'is-valid-openai-function-call': anyCall,
  'is-valid-function-call': anyCall,
  'not-is-valid-openai-tools-call': noCall,
  'not-is-valid-openai-function-call': noCall,
  'not-is-valid-function-call': noCall,
  'tool-call-f1': readF1,
  'trajectory:tool-used': readUsed,
  'not-trajectory:tool-used': readNotUsed,
  'trajectory:tool-sequence': readSequence,
  'trajectory:tool-args-match': readArgs,
  javascript,
};

/** The tools of a text or a list of texts; none for an object, which describes one tool. */
function listedTools(value: Json, type: string, tools: KnownTools): Step[] {
  if (isObject(value)) return [];
  const names = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === 'string'))
    throw new UnsupportedTest(`has ${type} without names of tools, which promptfoo refuses`);
  const unique = [...new Set(names)];
  boundNames(unique, type);
  return unique.map((name) => stepOf(name, type, tools));
}

function stepOf(value: Json, type: string, tools: KnownTools): Step {
  const name = isObject(value) ? (value.pattern ?? value.name) : value;
  if (typeof name !== 'string' || name === '')
    throw new UnsupportedTest(`has ${type} without the name of a tool, which promptfoo refuses`);
  const kinds = isObject(value) ? [value.type ?? 'tool'].flat() : ['tool'];
  if (!kinds.includes('tool')) throw new UnsupportedTest(`has ${type} for steps that are not tool calls`);
  const accepted = tools.matching(name);
  if (accepted.length === 0) throw new UnsupportedTest(`names "${name.slice(0, 80)}", which is not one of the tools`);
  return { name, accepted };
}
