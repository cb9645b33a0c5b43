import { z } from 'zod';
import { named } from './named.js';

export const JudgeEstimate = named('JudgeEstimate', 'What a report takes, before it is submitted.', {
  judge: z.string().describe('The judge, as `provider_key::model_id`.'),
  results: z.int().describe('Results to judge; of a comparison, the most cases that it may have.'),
  requests: z
    .int()
    .describe('Requests to the judge, with one that sums up. Replies that address a grader take another.'),
  prompt_tokens: z.int().describe('Tokens of the requests.'),
  completion_tokens: z.int().describe('Tokens of the replies.'),
  cost_usd: z.number().nullable().describe('US dollars; null when the judge has no prices.'),
  tokens_by: z
    .enum(['earlier reports', 'rule'])
    .describe('The source of the tokens: earlier reports of the judge, or 1,500 a request and 200 a reply.'),
});
export type JudgeEstimate = z.infer<typeof JudgeEstimate>;
