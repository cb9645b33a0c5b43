import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';

/** Another format than chat completions, in which the same models can be asked. */
export interface Format {
  /** @throws Error saying what the real API would refuse */
  read(body: JsonObject, model: string | undefined, headers: Record<string, unknown>): JsonObject;
  /** A completion, or an error, as the format writes it. */
  write(completion: JsonObject, status: number, headers: Record<string, string>): JsonObject;
  /** The status that the host of the format answers in place of OpenAI's. */
  statusOf?(status: number): number;
}

export interface Completed {
  content: string | null;
  calls: { id: string; name: string; arguments: string }[];
  finish: string;
  usage: { prompt: Json; completion: Json };
}

/** What a completion says; undefined for an error. */
export function readCompletion(completion: JsonObject): Completed | undefined {
  const choice = Array.isArray(completion.choices) ? (completion.choices[0] as JsonObject) : undefined;
  if (!choice) return undefined;
  const message = choice.message as JsonObject;
  const usage = (completion.usage ?? {}) as JsonObject;
  return {
    content: typeof message.content === 'string' ? message.content : null,
    calls: ((message.tool_calls ?? []) as JsonObject[]).map((call) => {
      const { name, arguments: args } = call.function as JsonObject;
      return {
        id: String(call.id),
        name: String(name),
        arguments: typeof args === 'string' ? args : JSON.stringify(args),
      };
    }),
    finish: String(choice.finish_reason),
    usage: { prompt: usage.prompt_tokens ?? 0, completion: usage.completion_tokens ?? 0 },
  };
}

/** Arguments as an object; undefined where they are none. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
