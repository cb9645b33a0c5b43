import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { Tool } from '#lib/contracts/tool';
import { toChatMessages, UnreadableMessage, NotRecorded } from './chat-messages.js';
import { ConversationCases, readTools, type Turn } from './conversation-cases.js';
import { parseIfJson } from './json-text.js';
import { readProposal } from './proposal.js';
import { readReply } from './recorded-reply.js';
import { flattenTools, readRequest } from './recorded-request.js';
import { readGivenTools, type SuiteDraft, type ImportSource } from '../source/import-source.js';
import { InferredTools } from '../source/inferred-tools.js';
import type { Warnings } from '../source/warnings.js';

/** One model call from a tracing tool's record. A field that was not recorded is undefined. */
export interface ModelCall {
  line: number;
  /** The origin of the record: "otlp trace 4bf9... span 00f0...". */
  source: string;
  /** The messages before the reply, or the body of the request. */
  request: Json | undefined;
  reply: Json | undefined;
  /** A list of tools in any shape, for a request without its own. */
  tools: Json | undefined;
  /** The host's finish reason, if it is recorded outside the reply. */
  finishReason?: Json;
  /** Why the record is incomplete, or not a reply. */
  fault?: string | undefined;
}

/** A tracing tool's name for its records, how to make it record message content, and what a file without any lacks. */
interface TraceTerms {
  records: string;
  recording: string;
  none: string;
}

const MAX_NAME_LENGTH = 80;
const MAX_LISTED_NAMES = 10;

/**
 * Converts recorded model calls to draft cases. The messages before a reply are the request. The reply's calls, or the
 * absence of calls, are the proposed expectation. It is not verified, so a person must confirm each case. The records
 * that cannot become cases are counted and reported at the end.
 */
export class TraceCases {
  readonly #given: Map<string, Tool>;
  readonly #folded = new Map<string, { turn: Turn; calls: string }>();
  /** Schemas of tools that were recorded without parameters, inferred from the calls to them. */
  readonly #schemas = new InferredTools();
  readonly #unspecified = new Set<string>();
  #found = 0;
  #others = 0;
  #unrecorded = 0;
  #withoutReply = 0;
  #uncalled = 0;
  #repeated = 0;
  #otherwise = 0;

  constructor(
    readonly settings: ImportSource['settings'],
    readonly warnings: Warnings,
    readonly words: TraceTerms,
  ) {
    this.#given = new Map(readGivenTools(settings).map((tool) => [tool.function.name, tool]));
  }

  /** @param call undefined for a record that is not a model call, which is only counted */
  add(call: ModelCall | undefined): void {
    this.#found++;
    if (!call) return void this.#others++;
    try {
      this.#read(call);
    } catch (error) {
      if (error instanceof NotRecorded) this.#unrecorded++;
      else if (error instanceof UnreadableMessage)
        this.warnings.addAtLine(call.line, `${call.source}: left out, because ${error.message}`);
      else throw error;
    }
  }

  #read({ line, source, request, reply: recorded, tools: beside, finishReason, fault }: ModelCall): void {
    const isAnswered = recorded !== undefined && recorded !== null && recorded !== '';
    if (fault !== undefined && isAnswered) throw new UnreadableMessage(fault);
    const { messages, tools: declared } = request === undefined ? { messages: undefined } : readRequest(request);
    const { before, tools: among } = withoutTools(messages);
    if (before === undefined || before === null || (Array.isArray(before) && before.length === 0))
      throw new NotRecorded('no messages are recorded');
    const asked = toChatMessages(before);
    const reply = isAnswered ? readReply(recorded) : null;
    if (!reply) return void this.#withoutReply++;
    const list = declared ?? parseIfJson(beside) ?? among;
    const tools =
      Array.isArray(list) && list.length > 0
        ? readTools(flattenTools(list).map(toolIn), (message) => this.warnings.addAtLine(line, `${source}: ${message}`))
        : null;
    const calls = readProposal(reply, finishReason, [...(tools ?? []), ...this.#given.values()]);
    if (calls.length === 0 && !tools?.length && this.#given.size === 0) return void this.#uncalled++;
    this.#fold({ line, name: nameOf(asked, line), before: asked, calls, tools, more: { source, draft: true } });
  }

  /** Merges duplicates: two instrumentations may record the same call, or the same request may have been sent again. */
  #fold(turn: Turn): void {
    const key = JSON.stringify([turn.before, turn.tools], (name, value: unknown) =>
      name === 'id' || name === 'tool_call_id' ? undefined : value,
    );
    const calls = JSON.stringify(turn.calls);
    const first = this.#folded.get(key);
    if (first) {
      this.#repeated++;
      if (first.calls !== calls) this.#otherwise++;
      return;
    }
    this.#folded.set(key, { turn, calls });
    for (const tool of turn.tools ?? [])
      if (!tool.function.parameters && !this.#given.has(tool.function.name)) this.#unspecified.add(tool.function.name);
    for (const { tool, params } of turn.calls) if (this.#unspecified.has(tool)) this.#schemas.addCall(tool, params);
  }

  /** @throws ProblemError 422 if there is no case to create */
  draft(): SuiteDraft {
    const { warnings } = this;
    if (this.#found === 0) throw new ProblemError(422, this.words.none);
    const turns = [...this.#folded.values()].map(({ turn }) => turn);
    const counts = this.#counts();
    if (turns.length === 0) {
      throw new ProblemError(
        422,
        ['No case can be made from the file.', ...counts, ...warnings.list().slice(0, 3)].join(' '),
      );
    }
    const cases = new ConversationCases(this.settings, warnings);
    for (const turn of turns) cases.add({ ...turn, tools: turn.tools?.map((tool) => this.#specified(tool)) ?? null });
    const draft = cases.draft('Imported traces');
    if (this.#unspecified.size) {
      const names = [...this.#unspecified];
      warnings.addForFile(
        'Tools are recorded without their parameters: ' +
          `${names.slice(0, MAX_LISTED_NAMES).join(', ')}${names.length > MAX_LISTED_NAMES ? ', ...' : ''}. They ` +
          'are inferred from the calls in the file, and unknown for tools that were never called. ' +
          'Describe them, or send "tools" with the file.',
      );
    }
    for (const count of counts) warnings.addForFile(count);
    warnings.addForFile(
      'All cases are drafts: they propose what the model did, which may have been wrong. No run ' +
        'includes them until a person has reviewed them and removed "draft".',
    );
    return draft;
  }

  #specified(tool: Tool): Tool {
    const { name, parameters } = tool.function;
    if (parameters) return tool;
    const given = this.#given.get(name);
    if (given || !this.#schemas.has(name)) return given ?? tool;
    return { ...tool, function: { ...tool.function, parameters: this.#schemas.tool(name).function.parameters } };
  }

  #counts(): string[] {
    const otherwise = this.#otherwise
      ? ` (${this.#otherwise} of them were answered otherwise; the first answer is proposed)`
      : '';
    const lines: [number, string, string][] = [
      [
        this.#unrecorded,
        'Model calls without their messages, or without their content, left out',
        `. ${this.words.recording}`,
      ],
      [
        this.#repeated,
        'Model calls with the same conversation as an earlier one, folded into its case',
        `${otherwise}.`,
      ],
      [this.#uncalled, 'Model calls answered with text and without a list of tools, left out', '.'],
      [this.#withoutReply, 'Model calls without a reply, left out', '.'],
      [this.#others, `${this.words.records} that are not model calls, skipped`, '.'],
    ];
    return lines.flatMap(([count, what, more]) => (count ? [`${what}: ${count}${more}`] : []));
  }
}

/** In Langfuse, LangChain's tools are among the messages, each as a tool message without a call. */
function withoutTools(messages: Json | undefined): { before: Json | undefined; tools: Json | undefined } {
  if (!Array.isArray(messages)) return { before: messages, tools: undefined };
  const isTool = (one: Json): one is JsonObject =>
    isObject(one) &&
    one.role === 'tool' &&
    isObject(one.content) &&
    (isObject(one.content.function) || typeof one.content.name === 'string');
  const tools = messages.filter(isTool).map(({ content }) => content!);
  return tools.length
    ? { before: messages.filter((one) => !isTool(one)), tools }
    : { before: messages, tools: undefined };
}

/** Prepares a tool for `readTools`, and drops a null description or schema. */
function toolIn(declared: Json): Json {
  const tool = parseIfJson(declared);
  const described = isObject(tool) && isObject(tool.function) ? tool.function : tool;
  if (!isObject(described)) return null;
  const { name, description, strict } = described;
  const parameters = [described.parameters, described.input_schema, described.inputSchema]
    .map(parseIfJson)
    .find(isObject);
  return {
    name: name ?? null,
    ...(typeof description === 'string' && description !== '' && { description }),
    ...(parameters && { parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

/** The last question, shortened. */
function nameOf(messages: readonly JsonObject[], line: number): string {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[at]?.content;
  const said = Array.isArray(content)
    ? content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join(' ')
    : content;
  const text = typeof said === 'string' ? said.trim() : '';
  const words = text.slice(0, MAX_NAME_LENGTH).replaceAll(/\s+/g, ' ');
  const rounds = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
  const question = words === '' ? `line ${line}` : `${words}${text.length > MAX_NAME_LENGTH ? '...' : ''}`;
  return rounds ? `${question}, turn ${rounds + 1}` : question;
}
