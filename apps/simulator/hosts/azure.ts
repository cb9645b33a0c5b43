import type { Host } from './host.js';
import { openai } from './openai.js';

const SAFE = { filtered: false, severity: 'safe' };
const FILTERED =
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify " +
  'your prompt and retry. To learn more about our content filtering policies please read our documentation: ' +
  'https://go.microsoft.com/fwlink/?linkid=2198766';

/** An OpenAI reasoning model on Azure. */
export const azure: Host = {
  ...openai,
  about: 'A reasoning model at Azure: refuses as OpenAI does, filters prompts, says waits in words.',
  sends: () => ({
    message: { refusal: null, annotations: [] },
    choice: { content_filter_results: { hate: SAFE, violence: SAFE } },
    response: { prompt_filter_results: [{ prompt_index: 0, content_filter_results: { jailbreak: SAFE } }] },
  }),
  odd: {
    filtered: () => ({
      status: 400,
      isLasting: true,
      body: {
        error: {
          message: FILTERED,
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { hate: SAFE, violence: { filtered: true, severity: 'medium' } },
          },
        },
      },
    }),
    limited: () => ({
      status: 429,
      body: {
        error: {
          code: '429',
          message:
            'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have ' +
            'exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 26 seconds. Please ' +
            'go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.',
        },
      },
    }),
  },
};
