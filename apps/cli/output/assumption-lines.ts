import type { Estimate } from '#lib/contracts/estimate';
import { escapeControls } from './terminal.js';

/** What an estimate assumes and warns of, below its table. Servers of earlier releases do not say it. */
export const assumptionLines = ({ assumptions = [], warnings = [] }: Estimate): string[] =>
  [...assumptions, ...warnings.map((warning) => `Warning: ${warning}`)].map((sentence) => escapeControls(sentence));
