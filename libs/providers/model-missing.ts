/** The part of an error that is searched. */
const MAX_CHARACTERS = 2000;

/**
 * Hosts' messages for a missing model: OpenAI, Groq and vLLM ("The model `x` does not exist"), Anthropic
 * ("not_found_error: model: x"), Google ("models/x is not found for API version v1beta"), Ollama ("model "x" not
 * found"), Azure ("DeploymentNotFound"), OpenRouter ("x is not a valid model ID", "No endpoints found for x"), Mistral
 * ("Invalid model: x"), DeepSeek ("Model Not Exist"), Bedrock ("The provided model identifier is invalid").
 */
const MISSING = new RegExp(
  [
    '\\bmodel_(?:not_found|not_available|decommissioned)\\b',
    '\\bDeploymentNotFound\\b',
    '\\bnot_found_error\\b.{0,60}\\bmodel:',
    '\\bmodels?\\b.{0,150}\\b(?:not found|does not exist|doesn.t exist|not exist|is not available|is not found)\\b',
    '\\b(?:no such|unknown|invalid) model\\b(?! (?:output|response|parameter))',
    '\\bis not a valid model\\b',
    '\\bmodel identifier is invalid\\b',
    '\\bNo endpoints found for\\b',
    '\\bmodel\\b.{0,150}\\bhas been (?:decommissioned|deprecated|removed|retired)\\b',
  ].join('|'),
  'is',
);
const STATUSES = [400, 404, 410, 422];

/** Whether an error says that the host does not have this model, so that every request would fail in the same way. */
export const saysModelMissing = (status: number, words: string): boolean =>
  STATUSES.includes(status) && MISSING.test(words.slice(0, MAX_CHARACTERS));
