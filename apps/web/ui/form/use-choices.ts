import { toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { edit } from './edited';
import { useForm } from './json-form';
import type { FormPart } from './labelled-field';
import { textsOf } from './form-request';

/** The form's suite, experiment and models, for the parts that choose them. */
export function useChoices(): {
  suite: FormPart<{ suite: string; experiment: string }>;
  models: FormPart<{ models: string[] }>;
} {
  const { edited, change, errors } = useForm();
  const value = edited.value as JsonObject;
  const set = (fields: Record<string, Json>): void =>
    change(Object.entries(fields).reduce((next, [key, inner]) => edit(next, [key], inner), edited));
  const faultsAt = (path: string) => errors.filter((fault) => fault.path === path || fault.path.startsWith(`${path}/`));
  const models = textsOf(value.models);
  return {
    suite: {
      form: { suite: toText(value.suite_id), experiment: value.experiment_id ? toText(value.experiment_id) : '' },
      change: ({ suite, experiment }) =>
        set({
          ...(suite !== undefined && { suite_id: suite }),
          ...(experiment !== undefined && { experiment_id: experiment || null }),
        }),
      faultsAt,
    },
    models: { form: { models }, change: (chosen) => set({ models: chosen.models ?? models }), faultsAt },
  };
}
