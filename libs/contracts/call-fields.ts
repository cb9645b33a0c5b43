/**
 * Keys for the arguments of a call: ours, then those of Ragas and LangChain, DeepEval, models that write JSON, and
 * Anthropic.
 */
export const ARGUMENT_KEYS = ['arguments', 'args', 'input_parameters', 'inputParameters', 'parameters', 'input'];
