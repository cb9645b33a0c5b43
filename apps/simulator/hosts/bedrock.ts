import { refuseEach, type Host } from './host.js';

/** A Bedrock model behind LiteLLM, which refuses requests before they reach Bedrock. */
export const bedrock: Host = {
  about: 'A model at Bedrock behind LiteLLM: refuses seed, penalties and parallel_tool_calls.',
  refuses: refuseEach(
    ['seed', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'logprobs', 'parallel_tool_calls'],
    (name) => ({
      message:
        `litellm.UnsupportedParamsError: bedrock does not support parameters: ['${name}'], for ` +
        'model=anthropic.claude. To drop these, set `litellm.drop_params=True` or for proxy:\n\n' +
        '`litellm_settings:\n drop_params: true`\n',
      param: 'None',
      code: '400',
    }),
  ),
  id: ({ seed }) => `tooluse_${seed.padStart(22, '0')}`,
};
