import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { InputError } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';
import { findUnsatisfiableArguments } from '#lib/scoring/checks/unsatisfiable-arguments';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { conversationWarnings } from '#lib/scoring/conversation/warnings';

const MAX_NAMED_FINDINGS = 20;
/**
 * Limits the compile work of one request. Compiling a schema takes about a millisecond, or a second at the maximum
 * size.
 */
const MAX_COMPILE_WORK = 2 ** 20;
const workOf = (characters: number): number => characters * Math.max(1, characters / 2 ** 13);

interface UnsatisfiableFinding extends InputError {
  /** The index of the case. */
  index: number;
  name: string | null;
}
export interface UnsatisfiableFindings {
  named: UnsatisfiableFinding[];
  /** The number of findings beyond those in `named`. */
  more: number;
  /** The number of cases that were skipped because of the cost of their tools. */
  notSearched: number;
  /** Sentences on conversations, such as a tool without a rule that always holds; `more` are not listed. */
  conversations: { messages: ConversationFinding[]; more: number };
}
type ConversationFinding = Omit<UnsatisfiableFinding, 'path'>;
export const noneUnsatisfiable = (): UnsatisfiableFindings => ({
  named: [],
  more: 0,
  notSearched: 0,
  conversations: { messages: [], more: 0 },
});

/** Searches cases for what is allowed and still wrong: arguments that no call can have, rules that never apply. */
export class UnsatisfiableSearch {
  readonly found = noneUnsatisfiable();
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #known = new WeakSet<Tool>();
  readonly #texts = new Set<string>();
  #work = 0;

  /** @param defaults what the conversations of the suite have in common */
  constructor(
    readonly suite: readonly Tool[],
    readonly defaults?: ConversationDefaults | null,
  ) {
    this.#byName = byName(suite);
  }

  search(input: CaseInput, index: number): void {
    if (!this.#affords(input)) return void this.found.notSearched++;
    const slips = findUnsatisfiableArguments(input, this.suite);
    const fit = slips.slice(0, MAX_NAMED_FINDINGS - this.found.named.length);
    this.found.named.push(
      ...fit.map(({ path, describe: say }) => ({ path, message: say(), index, name: input.name ?? null })),
    );
    this.found.more += slips.length - fit.length;
    if (input.conversation) this.#warnOfConversation(input, index);
  }

  #warnOfConversation(input: CaseInput, index: number): void {
    const messages = conversationWarnings(input, this.defaults, toolSetOf(input, this.suite));
    const name = input.name ?? null;
    addConversations(this.found, { messages: messages.map((message) => ({ index, name, message })), more: 0 });
  }

  #affords(input: CaseInput): boolean {
    const own = byName(input.tools?.filter((tool) => typeof tool !== 'string') ?? []);
    const names = new Set(
      (
        (input.conversation?.goal.calls ?? input.expected_calls)?.flatMap(({ tool }) => tool) ??
        [input.expected_tool ?? []].flat()
      ).map((name) => name.toLowerCase()),
    );
    return [...names].every((name) => {
      const tool = own.get(name) ?? this.#byName.get(name);
      if (!tool || this.#known.has(tool)) return true;
      const text = JSON.stringify(tool.function.parameters ?? null);
      if (!this.#texts.has(text)) this.#work += workOf(text.length);
      if (this.#work > MAX_COMPILE_WORK) return false;
      this.#texts.add(text);
      this.#known.add(tool);
      return true;
    });
  }
}

const byName = (tools: readonly Tool[]): Map<string, Tool> =>
  new Map(tools.map((tool) => [tool.function.name.toLowerCase(), tool]));

/** Merges the findings of some cases into those of others. */
export function mergeUnsatisfiable(
  to: UnsatisfiableFindings,
  { named, more, notSearched, conversations }: UnsatisfiableFindings,
): void {
  const fit = named.slice(0, MAX_NAMED_FINDINGS - to.named.length);
  to.named.push(...fit);
  to.more += more + named.length - fit.length;
  to.notSearched += notSearched;
  addConversations(to, conversations);
}

function addConversations(
  { conversations: to }: UnsatisfiableFindings,
  { messages, more }: UnsatisfiableFindings['conversations'],
): void {
  const fit = messages.slice(0, MAX_NAMED_FINDINGS - to.messages.length);
  to.messages.push(...fit);
  to.more += more + messages.length - fit.length;
}

/** @param nameOf returns the name of a case by its index among the searched cases */
export function unsatisfiableWarnings(
  { named, more, notSearched, conversations }: UnsatisfiableFindings,
  nameOf: (index: number) => string,
): string[] {
  return [
    ...named.map(({ index, name, path, message }) => `${nameOf(index)}${quoted(name)}, ${path}: ${message}`),
    ...(more ? [`And ${more} more expected arguments that no call can have which obeys its tool.`] : []),
    ...(notSearched
      ? [
          `${notSearched} cases were not looked through for expected arguments that no call can have: ` +
            'there are too many different tools.',
        ]
      : []),
    ...conversations.messages.map(({ index, name, message }) => `${nameOf(index)}${quoted(name)}: ${message}`),
    ...(conversations.more ? [`And ${conversations.more} more about conversations.`] : []),
  ];
}

const quoted = (name: string | null): string => (name ? ` ("${name}")` : '');
