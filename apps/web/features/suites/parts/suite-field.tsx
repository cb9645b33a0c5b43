import { toText, type JsonObject } from '#lib/contracts/json/json';
import { edit } from '../../../ui/form/edited';
import { useForm } from '../../../ui/form/json-form';
import { ChooseSuite } from './choose-suite';

/** The suite of a form, as its `suite_id`. @param forgets fields that belong to the previously chosen suite */
export function SuiteField({ forgets = [] }: { forgets?: readonly string[] }) {
  const { edited, change, errors } = useForm();
  const suite = toText((edited.value as JsonObject).suite_id ?? '');
  return (
    <ChooseSuite
      form={{ suite, experiment: '' }}
      change={({ suite: chosen = '' }) =>
        change(forgets.reduce((next, key) => edit(next, [key], null), edit(edited, ['suite_id'], chosen)))
      }
      faultsAt={(path) => errors.filter((error) => error.path === path)}
    />
  );
}
