import type { ConversationFigure } from '#lib/contracts/values/conversations';

/** The figures of conversations as the page names them. */
export const FIGURE_WORDS: Record<ConversationFigure, string> = {
  'conversation.calls': 'Calls',
  'conversation.forbidden': 'No forbidden call',
  'conversation.state': 'State',
  'conversation.answer': 'Answer',
  'conversation.efficiency': 'Efficiency',
  'conversation.recovered': 'Recovered',
  'conversation.fabricated': 'Fabricated',
};
