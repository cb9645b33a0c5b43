import { z } from 'zod';

export const MaxTokens = z
  .int()
  .min(1)
  .max(1_000_000)
  .nullable()
  .describe("The maximum number of tokens in a reply; null for no limit but the model's own.");
