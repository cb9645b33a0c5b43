import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import type { ImportAnswer } from '#lib/contracts/import';
import { UserLine, UserText } from '../../../ui/user-text';
import { Warnings } from '../../../ui/notices';

/** "1 case", "2 cases". */
export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Preview of an import. */
export function ImportPreview({ answer: { preview, test_cases_created: count, warnings } }: { answer: ImportAnswer }) {
  return (
    <section className="notice" aria-labelledby="preview">
      <h2 id="preview">Nothing is stored yet</h2>
      <p role="status">
        The import would create the suite <UserText text={preview?.name ?? ''} max={200} /> with{' '}
        {countOf(preview?.tools.length ?? 0, 'tool')} and {countOf(count, 'case')}.
      </p>
      <Warnings warnings={warnings} />
      {preview && preview.test_cases.length > 0 && (
        <details>
          <summary>
            {count > preview.test_cases.length ? `The first ${preview.test_cases.length} cases` : 'The cases'}
          </summary>
          <ol>
            {preview.test_cases.map((one, index) => (
              <li key={index}>
                <UserLine text={one.name ?? one.prompt ?? 'Unnamed conversation'} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

interface SuiteCreatedProps {
  suiteId: string;
  warnings: readonly string[];
  again: () => void;
  children: ReactNode;
}

/** A created suite: its warnings stay until the user moves on. */
export function SuiteCreated({ suiteId, warnings, again, children }: SuiteCreatedProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section aria-labelledby="made">
      <h2 id="made" tabIndex={-1} ref={heading}>
        Suite created
      </h2>
      <p>{children}</p>
      <Warnings warnings={warnings} />
      <div className="actions">
        <Link className="button primary" to="/suites/$suiteId" params={{ suiteId }}>
          Open the suite
        </Link>
        <button type="button" onClick={again}>
          Create another
        </button>
      </div>
    </section>
  );
}
