import { useState } from 'react';

/** Copies a text and confirms it. @param done the confirmation; it disappears when the text changes */
export function CopyButton({ text, label, done = 'Copied' }: { text: string; label: string; done?: string }) {
  const [said, setSaid] = useState<{ of: string; words: string }>();
  const say = (words: string): void => setSaid({ of: text, words });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(done);
    } catch {
      say('Not copied: refused by the browser');
    }
  };
  return (
    <button type="button" className="dense" onClick={() => void copy()}>
      {said?.of === text ? said.words : label}
    </button>
  );
}
