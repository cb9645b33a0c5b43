import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';

type Texts = Readonly<Record<string, string>>;

/** The form's initial value: all texts of the suite, replaced by those of another version where it has them. */
export const newPrompt = (suiteId: string, inSuite: Texts, parent?: { id: string; components: Texts }): JsonObject => ({
  suite_id: suiteId,
  components: { ...inSuite, ...parent?.components },
  label: '',
  tags: [],
  parent_id: parent?.id ?? null,
});

/** The request body: the texts that differ from those of the suite. */
export function promptOf(typed: Json, inSuite: Texts): JsonObject {
  const value = isObject(typed) ? typed : {};
  const texts = isObject(value.components) ? Object.entries(value.components) : [];
  const changed = texts.filter(([component, text]) => toText(text) !== inSuite[component]);
  return {
    ...value,
    label: toText(value.label ?? ''),
    tags: Array.isArray(value.tags) ? value.tags : [],
    components: Object.fromEntries(changed),
  };
}
