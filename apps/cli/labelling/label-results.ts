import type { ApiClient } from '#lib/client/api-client';
import type { LabelDraw, LabelName } from '#lib/contracts/label';
import { undefinedIfNotFound } from '../lookup/find-run.js';
import { labelScreen } from '../output/label-screen.js';
import type { Dialogue } from './dialogue.js';
import type { Draws } from './draws.js';

type Answer = LabelName | 'note' | 'skip' | 'undo' | 'quit';
/** A decision about a result, with its note. */
interface Decision {
  word: Exclude<Answer, 'note'>;
  note: string | undefined;
}

const ANSWERS: readonly Answer[] = ['correct', 'acceptable', 'wrong', 'note', 'skip', 'undo', 'quit'];
const KEYS = ANSWERS.map((word) => `${word[0]} ${word}`).join(', ');

/** Asks the user about one result after another, until none is left or the input ends. */
export class Labelling {
  /** Number of labels given and not undone. */
  labelCount = 0;
  #isAnswered = false;
  /** The results decided on, the latest last. */
  readonly #decided: { draw: LabelDraw; isLabelled: boolean }[] = [];

  constructor(
    private readonly client: ApiClient,
    private readonly draws: Draws,
    private readonly dialogue: Dialogue,
  ) {}

  /** @returns whether only skipped results are left */
  async labelAll(): Promise<boolean> {
    for (let draw = await this.draws.next(); draw; draw = await this.draws.next()) {
      const { labelled, asked } = this.draws.first;
      this.dialogue.show(
        '',
        `${labelled + this.labelCount} of ${asked} labels. Keys: ${KEYS}`,
        '',
        ...labelScreen(draw),
      );
      const { word, note } = await this.#decide();
      if (word === 'quit') return false;
      if (word === 'undo') await this.#undo(draw);
      else if (word === 'skip') this.#skip(draw);
      else await this.#label(draw, word, note);
    }
    return true;
  }

  async #decide(): Promise<Decision> {
    let note: string | undefined;
    for (;;) {
      const answer = await this.dialogue.next();
      if (answer === undefined && !this.#isAnswered) throw new Error(NO_INPUT);
      this.#isAnswered = true;
      const word = answer === undefined ? 'quit' : parseAnswer(answer);
      if (word === 'note') note = await this.dialogue.text('Note: ');
      else if (word !== undefined) return { word, note };
      else this.dialogue.refuse(`"${answer}" is not one of: ${KEYS}.`);
    }
  }

  async #label(draw: LabelDraw, label: LabelName, note: string | undefined): Promise<void> {
    await this.client.call('PUT', labelPath(draw), { label, note });
    this.#decided.push({ draw, isLabelled: true });
    this.labelCount++;
    this.dialogue.show(`-> ${label}${note ? ', with a note' : ''}`);
  }

  #skip(draw: LabelDraw): void {
    this.draws.skip(draw);
    this.#decided.push({ draw, isLabelled: false });
    this.dialogue.show('-> skipped');
  }

  /** Shows the previous result again, and then `draw`. */
  async #undo(draw: LabelDraw): Promise<void> {
    const last = this.#decided.pop();
    if (last?.isLabelled) {
      await this.client.call('DELETE', labelPath(last.draw)).catch(undefinedIfNotFound);
      this.labelCount--;
    }
    this.draws.putBack(...(last ? [last.draw] : []), draw);
    this.dialogue.show(last ? '-> undone' : '-> nothing to undo');
  }
}

const NO_INPUT =
  'There is nobody to ask: standard input is not a terminal, and it is empty. Pipe lines of ' +
  `answers (${KEYS}), or import labels with --import FILE.`;

/** Parses a key, or the word that it stands for. */
export function parseAnswer(answer: string): Answer | undefined {
  const text = answer.trim().toLowerCase();
  return ANSWERS.find((word) => text === word || text === word[0]);
}

const labelPath = ({ eval_id: run, result }: LabelDraw): string =>
  `/api/tool-eval/history/${run}/results/${encodeURIComponent(result.id)}/label`;
