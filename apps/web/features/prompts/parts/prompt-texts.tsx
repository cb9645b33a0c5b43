import { useState, type ReactNode } from 'react';
import type { ComponentDiff, TextHunk } from '#lib/contracts/prompt-version';
import { SettingsList } from '../../../ui/details';
import { UserText, visible } from '../../../ui/user-text';
import css from './prompts.module.css';

const FIRST_TEXTS = 20;
const FIRST_HUNKS = 300;
/** Characters of unchanged text shown before and after a change. */
const CONTEXT = 300;
const MAX_CHARACTERS = 20_000;

/** Texts by component, with their line breaks. */
export const ComponentTexts = ({ texts }: { texts: Readonly<Record<string, string>> }) => (
  <FirstTexts of={Object.entries(texts)}>
    {(shown) => <SettingsList settings={shown.map(([component, text]) => [component, text || '(none)'])} />}
  </FirstTexts>
);

/** A word-by-word text diff: removed text is struck out, added text is marked. */
export const PromptDiffView = ({ components }: { components: readonly ComponentDiff[] }) =>
  components.length === 0 ? (
    <p className="muted">The texts are the same.</p>
  ) : (
    <div className={css.diff}>
      <FirstTexts of={components}>
        {(shown) =>
          shown.map(({ component, hunks }) => <TextDiff key={component} component={component} hunks={hunks} />)
        }
      </FirstTexts>
    </div>
  );

/** The first of many texts, and a button that shows the others. */
function FirstTexts<Text>({ of, children }: { of: readonly Text[]; children: (shown: readonly Text[]) => ReactNode }) {
  const [shown, setShown] = useState(FIRST_TEXTS);
  return (
    <>
      {children(of.slice(0, shown))}
      {of.length > shown && (
        <div>
          <button type="button" className="dense" onClick={() => setShown(of.length)}>
            Show all {of.length} texts
          </button>
        </div>
      )}
    </>
  );
}

function TextDiff({ component, hunks }: Pick<ComponentDiff, 'component' | 'hunks'>) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && hunks.length > FIRST_HUNKS;
  const parts = isCut ? hunks.slice(0, FIRST_HUNKS) : hunks;
  return (
    <div>
      <code className="small">
        <UserText text={component} max={300} />
      </code>
      <pre
        className="given-block"
        role="group"
        tabIndex={0}
        aria-label={`Changes in ${visible(component.slice(0, 300))}`}
      >
        {parts.map((hunk, index) => (
          <Part key={index} hunk={hunk} isFirst={index === 0} isLast={index === hunks.length - 1} />
        ))}
      </pre>
      {isCut && (
        <button type="button" className="dense" onClick={() => setWhole(true)}>
          Show all {hunks.length.toLocaleString('en')} parts
        </button>
      )}
    </div>
  );
}

function Part({ hunk: { op, text }, isFirst, isLast }: { hunk: TextHunk; isFirst: boolean; isLast: boolean }) {
  if (op === 'same') return visible(nearChange(text, isFirst, isLast).toWellFormed());
  const isCut = text.length > MAX_CHARACTERS;
  const shown = visible(text.slice(0, MAX_CHARACTERS).toWellFormed());
  const rest = isCut ? ` ... and ${(text.length - MAX_CHARACTERS).toLocaleString('en')} more characters` : '';
  return op === 'added' ? <ins>{shown + rest}</ins> : <del>{shown + rest}</del>;
}

/** Shortens a long unchanged text to the context of its neighbouring changes. */
function nearChange(text: string, isFirst: boolean, isLast: boolean): string {
  const before = isFirst ? 0 : CONTEXT;
  const after = isLast ? 0 : CONTEXT;
  if (text.length <= before + after + CONTEXT) return text;
  return `${text.slice(0, before)} ... ${after > 0 ? text.slice(-after) : ''}`;
}
