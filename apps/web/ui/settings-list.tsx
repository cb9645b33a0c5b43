import { UserText, UserBlock } from './user-text';

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
