/** Counts the tokens of a model: with its own tokenizer if that is public, else by a rule of thumb. */
export interface TokenCounter {
  /** The tokenizer's name, or a description of the rule. */
  name: string;
  /** Estimates the tokens of a long text from parts of it. */
  count(text: string): number;
}

const byCharacters: TokenCounter = { name: '4 characters a token', count: (text) => text.length / 4 };

/** OpenAI's encodings, by model name, with or without a vendor prefix (`openai/gpt-4o`). */
const ENCODINGS = [
  {
    models: /(^|\/)(gpt-(4o|4\.1|4\.5|5|oss)|chatgpt|o[1-9])/,
    name: 'o200k_base',
    load: () => import('gpt-tokenizer/encoding/o200k_base'),
  },
  { models: /(^|\/)gpt-(4|3\.5)/, name: 'cl100k_base', load: () => import('gpt-tokenizer/encoding/cl100k_base') },
] as const;

/** Loads the encoding on first use, because each is megabytes of tables. */
export async function loadTokenCounter(modelId: string): Promise<TokenCounter> {
  const encoding = ENCODINGS.find(({ models }) => models.test(modelId));
  if (!encoding) return byCharacters;
  const { countTokens } = await encoding.load();
  // Special tokens in a user's text count as plain text.
  return {
    name: encoding.name,
    count: (text) => countByParts(text, (part) => countTokens(part, { disallowedSpecial: new Set() })),
  };
}

/** A tokenizer takes more than linear time on text without spaces, such as Chinese. */
const MAX_COUNTED_CHARACTERS = 600;
const PARTS = 6;

/**
 * Counts up to 600 characters completely. From a longer text it samples six parts of a hundred characters, evenly
 * spread.
 */
function countByParts(text: string, count: (part: string) => number): number {
  if (text.length <= MAX_COUNTED_CHARACTERS) return count(text);
  const length = MAX_COUNTED_CHARACTERS / PARTS;
  const step = (text.length - length) / (PARTS - 1);
  let tokens = 0;
  for (let part = 0; part < PARTS; part++) {
    const from = Math.round(part * step);
    tokens += count(text.slice(from, from + length));
  }
  return (tokens * text.length) / MAX_COUNTED_CHARACTERS;
}
