import type { ReactNode } from 'react';
import { GLOSSARY, type Term } from './glossary';
import { guideAddress } from './guide';
import { usePopover } from './popover';

/** A word that says what it means when it is asked. */
export function Hint({ term, children }: { term: Term; children: ReactNode }) {
  const { isOpen, button, panel } = usePopover<HTMLDivElement>();
  const { means, guide } = GLOSSARY[term];
  return (
    <>
      <button {...button} className="hint">
        {children}
      </button>
      <div {...panel} role="note" className="popover">
        {isOpen && (
          <>
            {means}{' '}
            <a href={guideAddress(guide)} target="_blank" rel="noreferrer">
              More
            </a>
          </>
        )}
      </div>
    </>
  );
}

/** Words that open a longer text: caveats, methods, what is the same everywhere. */
export function Note({ of, children }: { of: ReactNode; children: ReactNode }) {
  const { isOpen, button, panel } = usePopover<HTMLDivElement>();
  return (
    <>
      <button {...button} className="hint">
        {of}
      </button>
      <div {...panel} role="note" className="popover">
        {isOpen && children}
      </div>
    </>
  );
}
