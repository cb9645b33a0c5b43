import { lexiconOf, rankTools } from '../choose-tool.js';
import { fillArguments, type Source } from '../fill-arguments.js';
import { findValues } from '../find-values.js';
import type { Tool } from '../../formats/chat-completions.js';
import { valueUnder, type Turn } from './read-turns.js';

/** A call that the user wants. */
export interface Intent {
  tool: Tool;
  arguments: Record<string, unknown>;
  /** Required arguments that nobody has named. */
  missing: string[];
}

/** The minimum fit for a message to want a tool, and for one of several clauses to do so: see `rankTools`. */
const MIN_FIT = 2.2;
const MIN_FIT_OF_CLAUSE = 3;
/** Who the user is: this asks for nothing. */
const INTRODUCTION = /^I am [^.,]*[.,] */i;
const CHANGED_MIND = /\b(actually|instead|rather|i meant|make (it|that))\b/i;

/** What the user wants by the last message. One that changes their mind is about what they wanted before. */
export function intentsOf(turns: Turn[], tools: Tool[]): Intent[] {
  const last = turns.at(-1);
  if (!last || tools.length === 0) return [];
  const wanted = wantedTools(last.text.replace(INTRODUCTION, ''), tools);
  if (wanted.length > 0 || !CHANGED_MIND.test(last.text))
    return wanted.map(({ tool, text }) => fill(tool, text, turns));
  return intentsOf(turns.slice(0, -1), tools).map((intent) => correct(intent, turns));
}

function wantedTools(text: string, tools: Tool[]): { tool: Tool; text: string }[] {
  const lexicon = lexiconOf(tools);
  const clauses = text.split(/,? and then |[.!?] (?=[A-Z])/).flatMap((clause) => {
    const best = rankTools(clause, lexicon)[0]!;
    return best.fit >= MIN_FIT_OF_CLAUSE ? [{ tool: best.tool, text: clause }] : [];
  });
  if (clauses.length > 0) return clauses;
  const best = rankTools(text, lexicon)[0]!;
  return best.fit >= MIN_FIT ? [{ tool: best.tool, text }] : [];
}

/** Replaces arguments by values of the same kind in the last message: a number by a number, a quote by a quote. */
function correct(intent: Intent, turns: Turn[]): Intent {
  const said = turns.slice(0, -1).flatMap(({ text }) => findValues(text, null));
  const left = findValues(turns.at(-1)!.text, null);
  const corrected = Object.entries(intent.arguments).map(([key, value]) => {
    const kind = said.find((found) => String(found.value) === String(value))?.kind;
    const at = left.findIndex((found) => found.kind === kind);
    return [key, at < 0 ? value : left.splice(at, 1)[0]!.value];
  });
  return { ...intent, arguments: Object.fromEntries(corrected) as Intent['arguments'] };
}

/**
 * Fills the arguments of a tool: from the clause that wants it, or else from what the user said before, the last first,
 * or else from what tools have answered.
 */
export function fill(tool: Tool, text: string, turns: Turn[]): Intent {
  const said = turns.map((turn) => turn.text).reverse();
  const sources = [text, [text, ...said].join(' ')].map((prompt): Source => ({
    prompt,
    found: findValues(prompt, null),
    used: new Set(),
    results: [],
    guessed: 0,
  }));
  const answers = turns.flatMap(({ outcomes }) => outcomes.map(({ value }) => value)).reverse();
  const filled: Intent = { tool, arguments: {}, missing: [] };
  const { properties = {}, required = [] } = tool.function.parameters ?? {};
  for (const [key, property] of Object.entries(properties)) {
    const isRequired = required.includes(key);
    const schema = { properties: { [key]: property }, required: isRequired ? [key] : [] };
    const from = (source: Source): unknown => {
      const guessed = source.guessed;
      const { [key]: value } = fillArguments(schema, source);
      return source.guessed > guessed ? undefined : value;
    };
    let value = from(sources[0]!);
    if (value === undefined && isRequired)
      value =
        from(sources[1]!) ?? answers.map((answer) => valueUnder(answer, key)).find((found) => found !== undefined);
    if (value !== undefined) filled.arguments[key] = value;
    else if (isRequired) filled.missing.push(key);
  }
  return filled;
}
