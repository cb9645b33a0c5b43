import { useQuery } from '@tanstack/react-query';
import { isObject, type Json } from '#lib/contracts/json/json';
import type { GateSensitivity } from '#lib/contracts/gate-outlook';
import { useDebounced } from '../../../ui/debounced';
import { useForm } from '../../../ui/form/json-form';
import { Note } from '../../../ui/hint';
import { sensitivityQuery } from '../api';
import css from './gates.module.css';
import { marginWarning, sensitivityWords } from './gate-words';

/** The loss that a gate can show, and whether its margin can be reached. */
export function Shown({ sensitivity, margin }: { sensitivity: GateSensitivity; margin: number }) {
  const warning = marginWarning(sensitivity, margin);
  return (
    <div className={css.shown}>
      <p>
        {sensitivityWords(sensitivity)}{' '}
        <Note of="How">
          In four of five gate runs with all looks, if one case in five is answered right half of the time and the
          others always alike.
        </Note>
      </p>
      {warning !== undefined && <p className="notice">{warning}</p>}
    </div>
  );
}

/** The same of a form, before the gate is made. */
export function ShownByForm({ suite }: { suite: string }) {
  const { value } = useForm().edited;
  const request = useDebounced(sensitivityRequest(suite, value));
  const { data } = useQuery(sensitivityQuery(request));
  const margin = isObject(value) ? Number(value.margin) : NaN;
  return (
    <div className={css.reserved} role="status">
      {data && Number.isFinite(margin) && <Shown sensitivity={data} margin={margin} />}
    </div>
  );
}

/** @returns undefined while nothing can be said */
function sensitivityRequest(suite: string, value: Json): string | undefined {
  if (!isObject(value) || suite === '') return undefined;
  const { baseline, margin, looks } = value;
  const isChosen = isObject(baseline) && Object.values(baseline).some((id) => id !== '');
  return JSON.stringify({
    suite_id: suite,
    baseline: isChosen ? baseline : null,
    ...(typeof margin === 'number' && { margin }),
    ...(typeof looks === 'number' && { looks }),
  });
}
