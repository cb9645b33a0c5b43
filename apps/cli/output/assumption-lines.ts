import type { Estimate } from '#lib/contracts/estimate';
import { escapeControls } from './terminal.js';

/** What an estimate assumes, below its table. Servers of earlier releases do not say it. */
export const assumptionLines = ({ assumptions = [] }: Estimate): string[] =>
  assumptions.map((sentence) => escapeControls(sentence));
