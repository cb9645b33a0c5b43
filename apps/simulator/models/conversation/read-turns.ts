import { isObject, type Json } from '#lib/contracts/json/json';
import { textOf, type Message } from '../../formats/chat-completions.js';

/** A call of the model, and what its tool answered. */
export interface Outcome {
  name: string;
  arguments: Record<string, unknown>;
  text: string;
  /** The answer as JSON, or as text. */
  value: unknown;
  /** `error`: the tool says so. `unreadable`: it begins as JSON, and is none. */
  fault?: 'error' | 'unreadable';
}

/** What the user said, and what the model has called since. */
export interface Turn {
  text: string;
  outcomes: Outcome[];
}

/** Reads a conversation. Answers belong to calls by their order, since ids of some hosts are empty or repeat. */
export function readTurns(messages: Message[]): Turn[] {
  const turns: Turn[] = [];
  let open: { name: string; arguments: Record<string, unknown> }[] = [];
  for (const { role, content, tool_calls: calls } of messages) {
    if (role === 'user') turns.push({ text: textOf(content).trim(), outcomes: [] });
    if (role === 'assistant')
      open = (calls ?? []).map(({ function: called }) => ({
        name: called.name,
        arguments: objectIn(called.arguments),
      }));
    const call = role === 'tool' ? open.shift() : undefined;
    if (call) turns.at(-1)?.outcomes.push({ ...call, ...readAnswer(textOf(content).trim()) });
  }
  return turns;
}

function readAnswer(text: string): Pick<Outcome, 'text' | 'value' | 'fault'> {
  if (/^Error\b/.test(text)) return { text: text.replace(/^Error:? */, ''), value: text, fault: 'error' };
  const value = parse(text);
  if (isObject(value) && Object.keys(value).length === 1 && typeof value.error === 'string')
    return { text: value.error.replace(/^Error:? */, ''), value, fault: 'error' };
  if (value === undefined && (text === '' || /^[[{"]/.test(text))) return { text, value: text, fault: 'unreadable' };
  return { text, value: value ?? text };
}

function objectIn(given: unknown): Record<string, unknown> {
  const value = typeof given === 'string' ? parse(given) : (given as Json);
  return isObject(value) ? value : {};
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The first value under a key, at any depth. */
export function valueUnder(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && Object.hasOwn(value, key)) return (value as Record<string, unknown>)[key];
  for (const inner of Object.values(value)) {
    const found = valueUnder(inner, key);
    if (found !== undefined) return found;
  }
  return undefined;
}
