import type { Result } from './result.js';
import { CONVERSATION_FIGURES } from './values/conversations.js';

/** "state 0.5, answer 1": the figures of a conversation that have a value; empty for other cases. */
export const figuresText = (metrics: Result['metrics']): string =>
  CONVERSATION_FIGURES.flatMap((name) => {
    const score = metrics[name]?.score;
    return typeof score === 'number' ? [`${name.replace('conversation.', '')} ${Number(score.toFixed(4))}`] : [];
  }).join(', ');

export const isConversationFigure = (name: string): boolean => CONVERSATION_FIGURES.some((figure) => figure === name);
