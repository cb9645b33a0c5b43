import { lexiconOf, rankTools } from './choose-tool.js';
import { fillArguments, type Source } from './fill-arguments.js';
import { findValues, todayIn } from './find-values.js';
import { textOf, type Call, type ChatRequest, type Message, type Reply, type Tool } from './wire.js';

/** Below this fit no tool is meant; see rankTools. */
const FITS = 2.2;
/** A second clause must fit its tool this well to be a call of its own. */
const FITS_ALONE = 3;

/** A reply with the tools it was chosen from, best first, so that spoilt models can go wrong on purpose. */
export interface WellReply extends Reply {
  ranked: Tool[];
}

/**
 * Answers as a good model would, by words alone: the tool whose words fit the last user message best, arguments from the
 * values in it, several calls where it asks for several things, text where no tool fits and none is required. A tool that
 * already answered since that message is not called again, so that chains move on and end.
 */
export function answerWell(request: ChatRequest): WellReply {
  const { messages, tool_choice: choice = 'auto' } = request;
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const prompt = textOf(messages[lastUser]?.content).trim();
  const since = messages.slice(lastUser + 1);
  const tools = request.tools ?? [];
  if (tools.length === 0 || choice === 'none') return say(prompt, since, []);

  const ranked = rankTools(prompt, lexiconOf(tools));
  const forced = typeof choice === 'object' ? tools.find((tool) => tool.function.name === choice.function?.name) : undefined;
  const required = choice === 'required' || forced !== undefined;
  const done = new Set(since.flatMap((message) => message.tool_calls ?? []).map((call) => call.function.name));
  const open = ranked.filter(({ tool }) => !done.has(tool.function.name));
  const order = ranked.map(({ tool }) => tool);
  const conversation: Conversation = {
    today: todayIn(messages.map((message) => textOf(message.content)).join('\n')),
    results: since.filter((message) => message.role === 'tool').map((message) => parsed(textOf(message.content))).reverse(),
  };

  const best = open[0] ?? (required ? ranked[0] : undefined);
  if (forced) return { content: null, calls: [callOf(forced, prompt, conversation)], ranked: order };
  if (!best || (!required && best.fit < (done.size > 0 ? FITS_ALONE : FITS))) return say(prompt, since, order);
  const clauses = request.parallel_tool_calls === false || done.size > 0 ? [] : clausesOf(prompt, tools);
  const calls =
    clauses.length > 1
      ? clauses.map(({ tool, text }) => callOf(tool, text, conversation))
      : perPlace(best.tool, prompt, conversation, request.parallel_tool_calls !== false);
  return { content: null, calls, ranked: order };
}

interface Conversation {
  today: Date | null;
  results: unknown[];
}

function sourceOf(prompt: string, conversation: Conversation): Source {
  return { prompt, found: findValues(prompt, conversation.today), used: new Set(), results: conversation.results };
}

const callOf = (tool: Tool, prompt: string, conversation: Conversation): Call => ({
  name: tool.function.name,
  arguments: fillArguments(tool.function.parameters, sourceOf(prompt, conversation)),
});

/** "Turn this off and write that": the clauses that each fit a tool of their own. */
function clausesOf(prompt: string, tools: Tool[]): { tool: Tool; text: string }[] {
  const lexicon = lexiconOf(tools);
  const parts = prompt.split(/(?:,? and (?:then |also )?|; |[.!?] (?:Then |Also )?)(?=[A-Za-z])/);
  const clauses = parts.flatMap((text) => {
    const best = rankTools(text, lexicon)[0];
    return best && best.fit >= FITS_ALONE ? [{ tool: best.tool, text }] : [];
  });
  const different = new Set(clauses.map(({ tool }) => tool.function.name)).size;
  return different === clauses.length ? clauses : [];
}

/** A tool that takes one place is called once for each of several: "Paris and London". */
function perPlace(tool: Tool, prompt: string, conversation: Conversation, parallel: boolean): Call[] {
  const key = Object.keys(tool.function.parameters?.properties ?? {}).find((name) => /^(city|location|place)$/.test(name));
  const names = findValues(prompt, conversation.today).filter((found) => found.kind === 'name');
  const call = callOf(tool, prompt, conversation);
  if (!parallel || !key || names.length < 2 || typeof call.arguments === 'string') return [call];
  const given = call.arguments;
  return names.map((name) => ({ name: call.name, arguments: { ...given, [key]: name.value } }));
}

function say(prompt: string, since: Message[], ranked: Tool[]): WellReply {
  const answers = since.filter((message) => message.role === 'tool').map((message) => textOf(message.content).slice(0, 200));
  const content = answers.length > 0 ? `Done. ${answers.join(' ')}` : `None of my tools is needed for that. You asked: ${prompt.slice(0, 200)}`;
  return { content, calls: [], ranked };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
