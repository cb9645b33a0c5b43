import { useState, type ReactNode } from 'react';
import { isObject } from '#lib/contracts/json/json';
import { Chip } from '../../../../ui/chip';
import { useForm } from '../../../../ui/form/json-form';
import { UserLine } from '../../../../ui/user-text';
import { differingSettings } from './differing-settings';

/** The fields that stay in view; a fault of any other one opens the rest. */
const IN_VIEW = /^\/(suite_id|models|samples|experiment_id)(\/|$)/;

/** The settings that most runs leave alone, with those that differ from the defaults. */
export function MoreSettings({ children }: { children: ReactNode }) {
  const { edited, errors } = useForm();
  const [isOpen, setOpen] = useState(false);
  const hasFault = [...errors.map(({ path }) => path), ...Object.keys(edited.unread)].some((at) => !IN_VIEW.test(at));
  const differing = differingSettings(isObject(edited.value) ? edited.value : {});
  return (
    <details open={isOpen || hasFault} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        More settings{' '}
        {differing.length === 0 ? (
          <span className="muted">(all defaults)</span>
        ) : (
          differing.map((words) => (
            <Chip key={words}>
              <UserLine text={words} max={60} />
            </Chip>
          ))
        )}
      </summary>
      <div className="fields">{children}</div>
    </details>
  );
}
