/** Whose page this is. What was typed in it belongs to them. */
export interface TabOwner {
  personId: string;
  teamId: string;
}

/** The state of the session, as far as this tab knows. */
export type SessionState =
  /** Signed in, or not signed in yet. */
  | 'valid'
  /** It has ended in the middle of something: the page waits for its owner to sign in again. */
  | 'ended'
  /** The same, after the user has put the question aside. */
  | 'set aside'
  /** Somebody else has signed in, or the owner has left the team. */
  | 'foreign';

const TEAM = 'toolmark.team';

let owner: TabOwner | undefined;
let state: SessionState = 'valid';
let resumptions = 0;
const listeners = new Set<() => void>();

function move(next: SessionState): void {
  state = next;
  listeners.forEach((listener) => listener());
}

/** The session of this tab, for what outlives it: forms stay as they are until their owner is back. */
export const tab = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  state: (): SessionState => state,
  owner: (): TabOwner | undefined => owner,
  /** How often a session was resumed. What holds on to a session begins again when it changes. */
  resumptions: (): number => resumptions,

  /** The team that each request of this tab names: two tabs may be in two teams. */
  team(): string | undefined {
    try {
      return sessionStorage.getItem(TEAM) ?? undefined;
    } catch {
      return owner?.teamId;
    }
  },
  setTeam(teamId: string | undefined): void {
    try {
      if (teamId === undefined) sessionStorage.removeItem(TEAM);
      else sessionStorage.setItem(TEAM, teamId);
    } catch {
      // Without storage a reload begins in the team that was chosen last.
    }
  },

  /** @returns whether it is this person's tab, in this team: a new tab is whoever's it opens for */
  isOf(someone: TabOwner): boolean {
    if (!owner) {
      owner = someone;
      tab.setTeam(someone.teamId);
    }
    return owner.personId === someone.personId && owner.teamId === someone.teamId;
  },
  /** A request was refused for want of a session. @param isAsked whether the user waits for it */
  end(isAsked: boolean): void {
    if (!owner || state === 'foreign' || (state === 'set aside' && !isAsked)) return;
    move('ended');
  },
  setAside: (): void => move('set aside'),
  giveAway(): void {
    if (owner) move('foreign');
  },
  askAgain: (): void => move('ended'),
  resume(): void {
    resumptions++;
    move('valid');
  },
  /** Forgets whose it was, when they sign out. */
  forget(): void {
    owner = undefined;
    tab.setTeam(undefined);
    move('valid');
  },
};
