import type { ReactNode } from 'react';

export type ChipKind = 'passed' | 'failed' | 'partial' | 'errored' | 'waiting' | 'plain';

/** A few words in the colours of their kind. What the colour says, the words say too. */
export const Chip = ({ kind = 'plain', title, children }: { kind?: ChipKind; title?: string; children: ReactNode }) => (
  <span className={`status ${kind}`} title={title}>
    {children}
  </span>
);
