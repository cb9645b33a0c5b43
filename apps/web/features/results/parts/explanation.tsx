import { useId } from 'react';
import type { ResultWithExchange } from '../api/results';
import { UserText } from '../../../ui/user-text';

interface Props {
  result: Pick<ResultWithExchange, 'explanation' | 'evidence'> & { error: { kind: string; message: string } | null };
  /** Whose result it is, if there are several in one view. */
  of?: string;
}

/** The verdict in sentences, and the error if there is no reply. */
export function Explanation({ result: { explanation, evidence, error }, of }: Props) {
  const titleId = useId();
  const notes = (evidence?.notes ?? []).filter((note) => !explanation.includes(note));
  return (
    <section aria-labelledby={of === undefined ? titleId : undefined}>
      {of === undefined ? <h2 id={titleId}>Why</h2> : <h4>Why</h4>}
      {error && (
        <p>
          {error.kind.replaceAll('_', ' ')}: <UserText text={error.message} />
        </p>
      )}
      {[...explanation, ...notes].slice(0, 50).map((sentence, index) => (
        <p key={index}>
          <UserText text={sentence} />
        </p>
      ))}
    </section>
  );
}
