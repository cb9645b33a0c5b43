import { useState } from 'react';
import { SettingsList } from '../../../ui/settings-list';

const FIRST_TEXTS = 20;

/** Texts by component, with their line breaks. */
export function ComponentTexts({ texts }: { texts: Readonly<Record<string, string>> }) {
  const [shown, setShown] = useState(FIRST_TEXTS);
  const all = Object.entries(texts);
  return (
    <>
      <SettingsList settings={all.slice(0, shown).map(([component, text]) => [component, text || '(none)'])} />
      {all.length > shown && (
        <div>
          <button type="button" className="dense" onClick={() => setShown(all.length)}>
            Show all {all.length} texts
          </button>
        </div>
      )}
    </>
  );
}
