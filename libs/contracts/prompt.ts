import { z } from 'zod';
import { COMPONENT_FORMS, parseComponent } from './prompt-components.js';
import { isObject } from './json/json.js';
import { MAX_PROMPT_CHARS } from './values/runs.js';

const MAX_COMPONENTS = 500;
/** For all texts together. */
const MAX_COMPONENTS_CHARS = 200_000;

/** `z.record` silently drops `__proto__`, so keys are checked first. */
const componentTexts = (isAllowed: (key: string) => boolean, forms: string) =>
  z.preprocess(
    (given, context) => {
      if (!isObject(given)) return given;
      const keys = Object.keys(given);
      if (keys.length > MAX_COMPONENTS) {
        context.addIssue({ code: 'custom', message: `must have at most ${MAX_COMPONENTS} texts`, input: given });
        return z.NEVER;
      }
      for (const key of keys.filter((each) => !isAllowed(each)))
        context.addIssue({
          code: 'custom',
          message: `is not a text that models read with a case: a key is ${forms}`,
          path: [key],
          input: given,
        });
      return given;
    },
    z.record(z.string(), z.string().max(MAX_PROMPT_CHARS)).superRefine((texts, context) => {
      const message = findComponentsFault(texts);
      if (message) context.addIssue({ code: 'custom', message });
    }),
  );

/** Says why the texts are too large together, or returns undefined. */
export function findComponentsFault(texts: Readonly<Record<string, string>>): string | undefined {
  const count = Object.keys(texts).length;
  if (count > MAX_COMPONENTS) return `has ${count} texts, and may have ${MAX_COMPONENTS}`;
  const chars = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
  if (chars <= MAX_COMPONENTS_CHARS) return undefined;
  return `has ${chars} characters of text, and may have ${MAX_COMPONENTS_CHARS}: leave out what does not change`;
}

const TOOL_FORMS = COMPONENT_FORMS.replace('system_prompt, ', '');

/** The texts of a prompt by component: see `prompt-components.ts`. */
export const PromptComponents = componentTexts((key) => parseComponent(key) !== undefined, COMPONENT_FORMS).meta({
  id: 'PromptComponents',
  description:
    `Texts that models read with a case, by place: ${COMPONENT_FORMS} (a JSON Pointer into the schema, with ~0 ` +
    `for ~ and ~1 for /). At most ${MAX_COMPONENTS} texts, of at most ${MAX_PROMPT_CHARS} characters each and ` +
    `${MAX_COMPONENTS_CHARS} together. An empty text means none.`,
});
export type PromptComponents = z.infer<typeof PromptComponents>;

/** Descriptions of tools and of their parameters, by component. */
export const ToolOverrides = componentTexts((key) => {
  const component = parseComponent(key);
  return component !== undefined && component.of !== 'system_prompt';
}, TOOL_FORMS).meta({
  id: 'ToolOverrides',
  description:
    `Descriptions in place of the suite's, by place: ${TOOL_FORMS}. Names, types, enums and required ` +
    'lists stay. An empty text means none.',
});
export type ToolOverrides = z.infer<typeof ToolOverrides>;
