import { useId, type ReactNode } from 'react';
import { UserText } from '../user-text';
import type { FormFault } from './form-request';

interface FieldProps {
  label: string;
  help?: ReactNode;
  faults: FormFault[];
  children: (attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean | undefined }) => ReactNode;
}

/** A label, a control, its help and its faults. */
export function LabelledField({ label, help, faults, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-notes`, 'aria-invalid': faults.length > 0 || undefined })}
      <div id={`${id}-notes`} className="small">
        {help && <div className="muted">{help}</div>}
        <Faults faults={faults} />
      </div>
    </div>
  );
}

const MAX_FAULTS = 20;
/** What is wrong with an input. @param isWithin whether faults inside it name their place */
export const Faults = ({ faults, isWithin }: { faults: readonly FormFault[]; isWithin?: boolean }) =>
  faults.slice(0, MAX_FAULTS).map(({ path, message }) => (
    <div key={`${path} ${message}`} className="field-error">
      {isWithin && path && <code className="given">{path} </code>}
      <UserText text={message} />
    </div>
  ));
