import { UserText } from './user-text';

const MAX_SHOWN = 100;

/** Where the API deviated from the request, or what an author should look at. Renders nothing without warnings. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className="notice">
      <p>
        <strong>{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</strong>
      </p>
      <ul>
        {warnings.slice(0, MAX_SHOWN).map((warning, index) => (
          <li key={index}>
            <UserText text={warning} />
          </li>
        ))}
      </ul>
      {warnings.length > MAX_SHOWN && <p>And {warnings.length - MAX_SHOWN} more.</p>}
    </div>
  );
}
