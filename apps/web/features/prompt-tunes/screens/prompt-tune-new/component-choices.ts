export const SYSTEM_PROMPT = 'system_prompt';
export const ALL_TOOLS = 'tools/*/description';
export const ALL_PARAMETERS = 'tools/*/parameters/*/description';

export interface ToolChoice {
  tool: string;
  /** Patterns of the tool's description and of its parameters' descriptions. */
  description: string;
  parameters: string;
}

export const choiceOf = (tool: string): ToolChoice => ({
  tool,
  description: `tools/${tool}/description`,
  parameters: `tools/${tool}/parameters/*/description`,
});

/** Chosen components without a checkbox: a parameter's path, or something of another suite. */
export function otherComponents(chosen: readonly string[], tools: readonly string[]): string[] {
  const boxes = new Set([SYSTEM_PROMPT, ALL_TOOLS, ALL_PARAMETERS]);
  for (const { description, parameters } of tools.map(choiceOf)) boxes.add(description).add(parameters);
  return chosen.filter((component) => !boxes.has(component));
}

export const withComponent = (chosen: readonly string[], component: string, isChosen: boolean): string[] =>
  isChosen ? [...chosen.filter((one) => one !== component), component] : chosen.filter((one) => one !== component);
