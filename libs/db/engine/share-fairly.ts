/** A target that has items left, in the view of the dispatcher. Virtual times count the items served. */
export interface Backlog {
  runId: string;
  /** The account that it is a share of: its run, or the parent of its run. */
  accountId: string;
  target: number;
  userId: string;
  cursor: number;
  n: number;
  /** Items below the cursor that must run again. */
  redo: number;
  /** How many of its items may be handed out now; null for all. */
  most?: number | null;
  vtime: number;
  userVtime: number;
}

/** Items that a target gets in one turn: few, so that even a small window is shared. */
const QUANTUM = 4;

/** A queue member: the one that got the fewest items, by virtual time, is served next. */
interface Waiting {
  vtime: number;
}
type Share<Target extends Backlog> = Target & { count: number };
interface Account<Target extends Backlog> extends Waiting {
  targets: Share<Target>[];
}
interface UserAccount<Target extends Backlog> extends Waiting {
  id: string;
  accounts: Account<Target>[];
}

/**
 * Start-time fair queueing on two levels: between the users of a lane, then between the runs of a user; the runs of one
 * parent count as one. The member with the lowest virtual time is served, and that time advances by the items it gets.
 * A newcomer starts at the time that the others have reached, so it neither waits behind them nor makes up for the time
 * before it arrived. A user with fifty runs has one share.
 *
 * Goyal, Vin, Cheng: Start-time Fair Queueing (SIGCOMM 1996).
 *
 * @param room how many items to hand out
 * @param roomOfAccount maximum number of items per account; without an entry an account gets as many as it has
 * @param laneVtime virtual time of the lane: the start tag of the user that was served last
 */
export function shareFairly<Target extends Backlog>(
  backlogs: readonly Target[],
  room: number,
  roomOfAccount: ReadonlyMap<string, number>,
  laneVtime: number,
): { taken: Share<Target>[]; users: Map<string, number>; vtime: number } {
  const shares = backlogs.map((backlog) => ({ ...backlog, count: 0 }));
  const roomLeft = new Map(roomOfAccount);
  const itemsLeft = ({ accountId, n, cursor, redo, most, count }: Share<Target>): number =>
    Math.min(n - cursor + redo - count, (most ?? Infinity) - count, roomLeft.get(accountId) ?? Infinity);
  const hasItems = (share: Share<Target>): boolean => itemsLeft(share) > 0;

  const waiting = withItems(openAccounts(shares, laneVtime), hasItems, room);
  const users = new Map<string, number>();
  let vtime = laneVtime;
  while (room > 0 && waiting.length > 0) {
    const user = furthestBehind(waiting);
    const account = furthestBehind(user.accounts);
    const share = furthestBehind(account.targets);
    const count = Math.min(room, itemsLeft(share), QUANTUM);
    room -= count;
    share.count += count;
    const left = roomLeft.get(share.accountId);
    if (left !== undefined) roomLeft.set(share.accountId, left - count);
    vtime = Math.max(vtime, user.vtime);
    account.vtime += count;
    share.vtime = account.vtime;
    user.vtime += count;
    users.set(user.id, user.vtime);
    account.targets = account.targets.filter(hasItems);
    if (account.targets.length === 0) user.accounts.splice(user.accounts.indexOf(account), 1);
    if (user.accounts.length === 0) waiting.splice(waiting.indexOf(user), 1);
  }
  return { taken: shares.filter(({ count }) => count > 0), users, vtime };
}

/** The users of the targets, with their accounts, at the virtual times at which they join. */
function openAccounts<Target extends Backlog>(shares: Share<Target>[], laneVtime: number): UserAccount<Target>[] {
  return [...Map.groupBy(shares, ({ userId }) => userId)].map(([id, ofUser]) => {
    const accounts = [...Map.groupBy(ofUser, ({ accountId }) => accountId).values()].map((targets) => ({
      vtime: Math.max(0, ...targets.map((target) => target.vtime)),
      targets,
    }));
    // Accounts that wait together are never further apart than a quantum. One that is further behind has just arrived
    // or returned.
    const furthest = Math.max(...accounts.map(({ vtime }) => vtime));
    for (const account of accounts) account.vtime = Math.max(account.vtime, furthest - QUANTUM);
    return { id, vtime: Math.max(ofUser[0]!.userVtime, laneVtime), accounts };
  });
}

/**
 * The users and accounts with items, limited to as many as can get a turn: each turn serves the one furthest behind,
 * and there are at most `room` turns.
 */
function withItems<Target extends Backlog>(
  users: UserAccount<Target>[],
  hasItems: (share: Share<Target>) => boolean,
  room: number,
): UserAccount<Target>[] {
  const accountsWithItems = ({ accounts }: UserAccount<Target>): Account<Target>[] =>
    accounts
      .map(({ vtime, targets }) => ({ vtime, targets: targets.filter(hasItems) }))
      .filter(({ targets }) => targets.length > 0)
      .map(({ vtime, targets }) => ({ vtime, targets: furthestFew(targets, room) }));
  const usersWithItems = users
    .map((user) => ({ ...user, accounts: furthestFew(accountsWithItems(user), room) }))
    .filter(({ accounts }) => accounts.length > 0);
  return furthestFew(usersWithItems, room);
}

/** Up to `count` of them: those furthest behind, in their original order. */
function furthestFew<One extends Waiting>(all: One[], count: number): One[] {
  if (all.length <= count) return all;
  const few = new Set(all.toSorted((a, b) => a.vtime - b.vtime).slice(0, count));
  return all.filter((one) => few.has(one));
}

/** The first of those furthest behind. */
const furthestBehind = <One extends Waiting>(all: readonly One[]): One =>
  all.reduce((best, one) => (one.vtime < best.vtime ? one : best));
