/** How a model's tokens are counted: with its own tokenizer where one is public, else by a rule of thumb. */
export interface TokenCounter {
  /** The tokenizer's name, or the rule in words. */
  name: string;
  /** Of a long text an estimate, by parts of it. */
  count(text: string): number;
}

const byCharacters: TokenCounter = { name: '4 characters a token', count: (text) => text.length / 4 };

/** OpenAI's encodings, by the names of its models, with or without a vendor in front (`openai/gpt-4o`). */
const ENCODINGS = [
  {
    models: /(^|\/)(gpt-(4o|4\.1|4\.5|5|oss)|chatgpt|o[1-9])/,
    name: 'o200k_base',
    load: () => import('gpt-tokenizer/encoding/o200k_base'),
  },
  { models: /(^|\/)gpt-(4|3\.5)/, name: 'cl100k_base', load: () => import('gpt-tokenizer/encoding/cl100k_base') },
] as const;

/** Loaded when first needed: an encoding is megabytes of tables. */
export async function loadTokenCounter(modelId: string): Promise<TokenCounter> {
  const encoding = ENCODINGS.find(({ models }) => models.test(modelId));
  if (!encoding) return byCharacters;
  const { countTokens } = await encoding.load();
  // Special tokens in a user's text are text.
  return {
    name: encoding.name,
    count: (text) => countByParts(text, (part) => countTokens(part, { disallowedSpecial: new Set() })),
  };
}

/**
 * A tokenizer's time grows faster than its text where letters follow one another without a blank (as Chinese is
 * written).
 */
const LONGEST_COUNTED = 600;
const PARTS = 6;

/** A text up to 600 characters as it is; of a longer one six parts of a hundred, spread over it, stand for the rest. */
function countByParts(text: string, count: (part: string) => number): number {
  if (text.length <= LONGEST_COUNTED) return count(text);
  const length = LONGEST_COUNTED / PARTS;
  const step = (text.length - length) / (PARTS - 1);
  let tokens = 0;
  for (let part = 0; part < PARTS; part++) {
    const from = Math.round(part * step);
    tokens += count(text.slice(from, from + length));
  }
  return (tokens * text.length) / LONGEST_COUNTED;
}
