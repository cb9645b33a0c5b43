import { useEffect, useState, useSyncExternalStore } from 'react';
import { ErrorNotice } from './notices';

/** How long an act can be taken back. */
const UNDO_MS = 10_000;
/** Older offers leave when there are more. */
const MAX_OFFERS = 3;

interface Offer {
  id: number;
  /** The id of what is hidden meanwhile. */
  hides?: string;
  text: string;
  undo: () => unknown;
  /** Carried out when the offer ends without having been taken. */
  act?: () => unknown;
  /** Missing after a failure, which stays until it is dismissed. */
  timer?: ReturnType<typeof setTimeout>;
  error?: Error;
}

// One list for the page: an offer outlives the screen that made it.
let offers: readonly Offer[] = [];
let hidden: ReadonlySet<string> = new Set();
let last = 0;
let session = 0;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const change = (next: readonly Offer[]): void => {
  offers = next;
  listeners.forEach((listener) => listener());
};
const hide = (ids: ReadonlySet<string>): void => {
  hidden = ids;
  listeners.forEach((listener) => listener());
};

/** Ends an offer. @param isTaken whether the act is undone, else it stays or is carried out */
async function end(offer: Offer, isTaken: boolean): Promise<void> {
  const before = session;
  clearTimeout(offer.timer);
  change(offers.filter(({ id }) => id !== offer.id));
  try {
    await (isTaken ? offer.undo() : offer.act?.());
  } catch (error) {
    if (before !== session) return;
    const again = (isTaken ? offer.undo : offer.act) ?? offer.undo;
    const text = offer.error ? offer.text : `${isTaken ? 'Not undone' : 'Not done'}: ${offer.text}`;
    change([...offers, { ...offer, text, error: error as Error, undo: again, act: undefined, timer: undefined }]);
  }
}

function add(offer: Omit<Offer, 'id'>): void {
  const added: Offer = { ...offer, id: ++last, timer: setTimeout(() => void end(added, false), UNDO_MS) };
  for (const early of offers.slice(0, Math.max(0, offers.length - MAX_OFFERS + 1))) void end(early, false);
  change([...offers, added]);
}

/** Carries out what waits, when the page or the session is left. Requests made here outlive it (`keepalive`). */
export const finishOffers = (): Promise<unknown> => Promise.all(offers.map((offer) => end(offer, false)));

/** Forgets what waits: it was asked for in a session that is over. */
export function dropOffers(): void {
  session++;
  for (const { timer } of offers) clearTimeout(timer);
  hidden = new Set();
  change([]);
}

/** Ways to take an act back. */
export const undo = {
  /** After an act: how to take it back. */
  offer: ({ text, undo }: { text: string; undo: () => unknown }): void => add({ text, undo }),
  /**
   * Instead of an act that cannot be taken back: it is carried out after 10 s, or when the page is left.
   * @param id what is hidden meanwhile (`useHidden`)
   */
  later: ({ text, id, act }: { text: string; id: string; act: () => unknown }): void => {
    // The same again begins to wait again: taking it back takes back both.
    const again = offers.filter(({ hides }) => hides === id);
    for (const { timer } of again) clearTimeout(timer);
    change(offers.filter((offer) => !again.includes(offer)));
    hide(new Set([...hidden, id]));
    const show = (): void => hide(new Set([...hidden].filter((other) => other !== id)));
    add({
      hides: id,
      text,
      undo: show,
      act: async () => {
        try {
          await act();
        } catch (error) {
          show();
          throw error;
        }
      },
    });
  },
};

/** The ids of what is about to be deleted. */
export const useHidden = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => hidden);

/** What can be taken back now, at the foot of the page. */
export function UndoOffers() {
  const shown = useSyncExternalStore(subscribe, () => offers);
  useEffect(() => {
    addEventListener('pagehide', finishOffers);
    return () => removeEventListener('pagehide', finishOffers);
  }, []);
  return (
    <div className="undo-offers" role="status">
      {shown.map((offer) => (
        <OfferLine key={offer.id} offer={offer} />
      ))}
    </div>
  );
}

function OfferLine({ offer }: { offer: Offer }) {
  const [isEnding, setEnding] = useState(false);
  if (offer.error)
    return (
      <ErrorNotice error={offer.error} retry={() => end(offer, true)}>
        <p>{offer.text}</p>
        <button type="button" onClick={() => void end(offer, false)}>
          Dismiss
        </button>{' '}
      </ErrorNotice>
    );
  return (
    <div className="undo-offer">
      <span>{offer.text}</span>
      <button
        type="button"
        className="dense"
        disabled={isEnding}
        onClick={() => {
          setEnding(true);
          void end(offer, true);
        }}
      >
        Undo
      </button>
    </div>
  );
}
