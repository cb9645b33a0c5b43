import { z } from 'zod';
import { textOf, type ChatRequest, type Reply } from '../formats/chat-completions.js';
import type { MetaRules } from './meta-rules.js';

const Texts = z.record(z.string(), z.string());
/** The task of a meta model: the JSON document in the user message. */
const Task = z.looseObject({
  task: z.enum(['reflect', 'variants', 'mutate', 'crossover']),
  component: z.string().optional(),
  current_text: z.string().optional(),
  components: Texts.default({}),
  count: z.int().min(1).max(100).default(8),
  examples: z.array(z.looseObject({ prompt: z.string() })).default([]),
  parents: z.array(z.looseObject({ components: Texts })).default([]),
});
type Task = z.infer<typeof Task>;

/** A task with its message. */
interface AskedTask extends Task {
  message: string;
}

/** @returns the task in the last user message that has one, or a sentence that says what is missing */
export function readTask({ messages, tools = [] }: ChatRequest): AskedTask | string {
  const message = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => textOf(content))
    .findLast((text) => documentIn(text) !== undefined);
  if (message === undefined) return 'No user message has a line "```json", a JSON document, and a line "```".';
  const parsed = Task.safeParse(parse(documentIn(message)!));
  if (!parsed.success) return `The JSON document of the user message is not a task: ${z.prettifyError(parsed.error)}.`;
  if (tools.length === 0) return 'There is no tool to reply with.';
  const { components, parents } = parsed.data;
  return { ...parsed.data, components: { ...components, ...parents[0]?.components }, message };
}

function documentIn(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const begin = lines.indexOf('```json');
  const end = lines.indexOf('```', begin + 1);
  return begin >= 0 && end >= 0 ? lines.slice(begin + 1, end).join('\n') : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls the first tool with the task's texts, changed by the rules. Equal requests get equal replies. */
export function metaReply(task: AskedTask, { tools = [] }: ChatRequest, rules: MetaRules): Reply {
  if (rules.reply === 'nonsense') return { content: 'What a fine day to improve a prompt.', calls: [] };
  const written = task.task === 'reflect' ? reflect(task, rules) : { candidates: candidatesOf(task, rules) };
  const args = rules.reply === 'wrong_schema' ? { answer: 42 } : written;
  return { content: null, calls: [{ name: tools[0]!.function.name, arguments: args }] };
}

interface Change {
  component: string;
  append: string;
}

function reflect(task: AskedTask, rules: MetaRules): Record<string, unknown> {
  const { component = firstOf(task.components), current_text: text = task.components[component] ?? '' } = task;
  const lines = rules.rules
    .filter(({ when }) => (isComponent(when, task) ? when === component : occurs(when, task.message)))
    .map(({ append }) => append);
  const changes = lines.length === 0 && rules.otherwise ? [rules.otherwise] : lines;
  const appended = [...changes, ...copiedBy(task, rules)];
  return { text: appended.reduce(withLine, text), why: whyOf(appended) };
}

function candidatesOf(task: AskedTask, rules: MetaRules): unknown[] {
  const [first, second] = task.parents.map(({ components }) => components);
  switch (task.task) {
    case 'mutate': {
      const applying = rules.rules.filter(({ when }) => occurs(when, task.message));
      const changes = applying.map((rule) => changeOf(rule, task));
      return [candidate(first ?? task.components, changes, task, rules)];
    }
    case 'crossover': {
      const longer = Object.entries(first ?? task.components).map(([component, text]) => {
        const other = second?.[component] ?? '';
        return [component, other.length > text.length ? other : text];
      });
      return [candidate(Object.fromEntries(longer) as Record<string, string>, [], task, rules)];
    }
    default:
      return Array.from({ length: task.count }, (_, n) => {
        const rule = rules.rules[n % rules.rules.length];
        return candidate(task.components, rule ? [changeOf(rule, task)] : [], task, rules);
      });
  }
}

const changeOf = ({ when, append }: MetaRules['rules'][number], task: AskedTask): Change => ({
  component: isComponent(when, task) ? when : firstOf(task.components),
  append,
});

function candidate(texts: Record<string, string>, changes: Change[], task: AskedTask, rules: MetaRules): unknown {
  const all = [...changes, ...copiedBy(task, rules).map((append) => ({ component: firstOf(texts), append }))];
  return {
    texts: Object.entries(texts).map(([component, text]) => ({
      component,
      text: all
        .filter((change) => change.component === component)
        .reduce((so, { append }) => withLine(so, append), text),
    })),
    why: whyOf(all.map(({ append }) => append)),
  };
}

const firstOf = (texts: Record<string, string>): string => Object.keys(texts)[0] ?? 'system_prompt';

const copiedBy = ({ examples }: AskedTask, rules: MetaRules): string[] =>
  rules.copy_examples ? examples.slice(0, 1).map(({ prompt }) => prompt) : [];

const isComponent = (when: string | null | undefined, { components }: AskedTask): when is string =>
  typeof when === 'string' && Object.hasOwn(components, when);

/** Adds a line to a text unless it is already there. */
const withLine = (text: string, line: string): string =>
  text.includes(line) ? text : text === '' ? line : `${text}\n${line}`;

const whyOf = (appended: readonly string[]): string =>
  appended.length > 0 ? `Adds: ${appended.join(' ')}` : 'Nothing to add.';

/** Whether a text occurs in the message, ignoring case, either raw or inside its JSON. */
function occurs(part: string | null | undefined, message: string): boolean {
  const inJson = JSON.stringify(part ?? '')
    .slice(1, -1)
    .replaceAll('`', '\\u0060');
  const lower = message.toLowerCase();
  return [part ?? '', inJson].some((text) => lower.includes(text.toLowerCase()));
}
