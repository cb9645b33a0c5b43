import { type ReactNode, useState } from 'react';
import { UserBlock, UserText } from './user-text';

interface Props {
  summary: ReactNode;
  className?: string;
  children: () => ReactNode;
}

/** Details that are not rendered until they are opened. */
export function LazyDetails({ summary, className, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}

/** A collapsed part of a result. */
export const Folded = ({ title, children }: { title: ReactNode; children: () => ReactNode }) => (
  <LazyDetails className="fold" summary={title}>
    {() => <div className="fold-inner">{children()}</div>}
  </LazyDetails>
);

/** A longer list may be higher than its box, and then needs to be scrollable by keyboard. */
const LONG = 100;

/** Settings by name, with values in their source text. */
export function SettingsList({ settings }: { settings: readonly (readonly [name: string, text: string])[] }) {
  return (
    <dl className="settings">
      {settings.map(([name, text]) => (
        <div key={name}>
          <dt>
            <UserText text={name} max={200} />
          </dt>
          <dd tabIndex={text.length > LONG || text.includes('\n') ? 0 : undefined}>
            <UserBlock text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
