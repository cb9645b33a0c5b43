import { Given, GivenBlock } from './given';

/** More than that may be higher than its box, and is then scrolled by keyboard too. */
const LONG = 100;

/** Settings by name, with their values as they were written. */
export function SettingsList({ settings }: { settings: readonly (readonly [name: string, text: string])[] }) {
  return (
    <dl className="settings">
      {settings.map(([name, text]) => (
        <div key={name}>
          <dt>
            <Given text={name} max={200} />
          </dt>
          <dd tabIndex={text.length > LONG || text.includes('\n') ? 0 : undefined}>
            <GivenBlock text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
