import { lexiconOf, rankTools, type Lexicon } from './choose-tool.js';
import { fillArguments, type Source } from './fill-arguments.js';
import { findValues, todayIn, type Found } from './find-values.js';
import {
  textOf,
  type Call,
  type ChatRequest,
  type Message,
  type Reply,
  type Tool,
} from '../formats/chat-completions.js';

/** The minimum fit for a tool to count as meant: see `rankTools`. */
const MIN_FIT = 2.2;
/** Each required argument without a value in the prompt multiplies the fit by this factor. */
const GUESS_PENALTY = 0.45;
/** How many of the best-fitting tools have their arguments filled. */
const MAX_TRIED = 4;
/** The minimum fit for another clause to be a separate call. */
const MIN_FIT_ALONE = 3;

/** A reply and the tools it was chosen from, best first, so that other models can go wrong on purpose. */
export interface CorrectReply extends Reply {
  ranked(): Tool[];
}

/**
 * Replies as a good model would, using word matches alone. It calls the tool whose words fit the last user message
 * best, with argument values from that message. It makes several calls when the message asks for several things, and
 * replies with text when no tool fits and none is required. A tool already called since that message is not called
 * again, so that chains end.
 */
export function correctReply(request: ChatRequest): CorrectReply {
  const { messages, tool_choice: choice = 'auto' } = request;
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const prompt = textOf(messages[lastUser]?.content).trim();
  const since = messages.slice(lastUser + 1);
  const tools = request.tools ?? [];
  if (tools.length === 0 || choice === 'none') return replyWithText(prompt, since, () => []);

  const lexicon = lexiconOf(tools);
  const done = new Set(since.flatMap((message) => message.tool_calls ?? []).map((call) => call.function.name));
  const conversation: Conversation = {
    found: new Map(),
    today: todayIn(messages.map((message) => textOf(message.content)).join('\n')),
    results: since
      .filter((message) => message.role === 'tool')
      .map((message) => parsed(textOf(message.content)))
      .reverse(),
  };
  const candidates = rankTools(prompt, lexicon).map((ranked, place) => candidate(ranked, place, prompt, conversation));
  const forced =
    typeof choice === 'object' ? tools.find((tool) => tool.function.name === choice.function?.name) : undefined;
  const required = choice === 'required' || forced !== undefined;
  const order = (): Tool[] => candidates.sort((a, b) => b.fit() - a.fit()).map(({ tool }) => tool);

  if (forced) return { content: null, calls: [fill(forced, prompt, conversation).call], ranked: order };
  const best =
    bestOf(candidates.filter(({ tool }) => !done.has(tool.function.name))) ??
    (required ? bestOf(candidates) : undefined);
  if (!best || (!required && best.fit() < (done.size > 0 ? MIN_FIT_ALONE : MIN_FIT)))
    return replyWithText(prompt, since, order);
  const several = request.parallel_tool_calls !== false && done.size === 0;
  const clauses = several ? clausesOf(prompt, lexicon) : [];
  if (clauses.length < 2)
    return { content: null, calls: several ? best.calls() : best.calls().slice(0, 1), ranked: order };
  const calls = clauses.map(({ tool, text }) => {
    const own = fill(tool, text, conversation);
    return own.source.guessed > 0 ? fill(tool, prompt, conversation).call : own.call;
  });
  return { content: null, calls, ranked: order };
}

interface Conversation {
  /** The values found in each text, by text. */
  found: Map<string, Found[]>;
  today: Date | null;
  results: unknown[];
}

function fill(tool: Tool, prompt: string, { found, today, results }: Conversation): { call: Call; source: Source } {
  const values = found.get(prompt) ?? findValues(prompt, today);
  found.set(prompt, values);
  const source: Source = { prompt, found: values, used: new Set(), results, guessed: 0 };
  return { call: { name: tool.function.name, arguments: fillArguments(tool.function.parameters, source) }, source };
}

/** A tool and its fit: `words` by word matches, and less when the prompt lacks values for its arguments. */
interface Candidate {
  tool: Tool;
  words: number;
  fit(): number;
  calls(): Call[];
}

function candidate(
  { tool, fit }: { tool: Tool; fit: number },
  place: number,
  prompt: string,
  conversation: Conversation,
): Candidate {
  if (place >= MAX_TRIED)
    return {
      tool,
      words: fit * GUESS_PENALTY,
      fit: () => fit * GUESS_PENALTY,
      calls: () => [fill(tool, prompt, conversation).call],
    };
  let filled: ReturnType<typeof fill> | undefined;
  const once = (): ReturnType<typeof fill> => (filled ??= fill(tool, prompt, conversation));
  return {
    tool,
    words: fit,
    fit: () => fit * GUESS_PENALTY ** once().source.guessed,
    calls: () => forEachOf(once().call, once().source),
  };
}

/** The first of the best candidates. Filling arguments is most of the work, so it skips tools whose words fit less. */
function bestOf(candidates: Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  for (const next of candidates) if (!best || (next.words > best.fit() && next.fit() > best.fit())) best = next;
  return best;
}

/** The clauses that each fit a separate tool: "Turn this off and write that". "And ship it" does not count. */
function clausesOf(prompt: string, lexicon: Lexicon): { tool: Tool; text: string }[] {
  const parts = prompt.split(/(?:,? and (?:then |also )?|; |[.!?] (?:Then |Also )?)(?=[A-Za-z])/);
  if (parts.length < 2) return [];
  const clauses = parts.flatMap((text) => {
    const best = rankTools(text, lexicon)[0];
    return best && best.fit >= MIN_FIT_ALONE && !/\b(it|them|they)\b/i.test(text) ? [{ tool: best.tool, text }] : [];
  });
  const different = new Set(clauses.map(({ tool }) => tool.function.name)).size;
  return different === clauses.length ? clauses : [];
}

/** Repeats a call for each value that the prompt lists alongside one of its arguments: "Paris and London". */
function forEachOf(call: Call, source: Source): Call[] {
  const given = call.arguments as Record<string, unknown>;
  for (const [key, value] of Object.entries(given)) {
    const own = source.found.findIndex((found) => source.used.has(found) && found.value === value);
    if (own < 0) continue;
    const listed = [source.found[own]!];
    for (const next of source.found.slice(own + 1)) {
      const between = source.prompt.slice(listed.at(-1)!.end, next.start);
      if (next.kind === listed[0]!.kind && !source.used.has(next) && /^(,| and| or|, and)( \w+)? $/.test(between))
        listed.push(next);
    }
    if (listed.length > 1) return listed.map((found) => ({ ...call, arguments: { ...given, [key]: found.value } }));
  }
  return [call];
}

function replyWithText(prompt: string, since: Message[], ranked: () => Tool[]): CorrectReply {
  const answers = since
    .filter((message) => message.role === 'tool')
    .map((message) => textOf(message.content).slice(0, 200));
  const content =
    answers.length > 0
      ? `Done. ${answers.join(' ')}`
      : `None of my tools is needed for that. You asked: ${prompt.slice(0, 200)}`;
  return { content, calls: [], ranked };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
