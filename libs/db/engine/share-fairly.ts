/** A target that has items left, as the dispatcher sees it. Virtual times count the items served. */
export interface Backlog {
  runId: string;
  target: number;
  userId: string;
  cursor: number;
  n: number;
  /** Items below the cursor that are to run again. */
  redo: number;
  vtime: number;
  userVtime: number;
}

/** How many items a target gets in one turn: few, so that even a window with little room is shared. */
const QUANTUM = 4;

/** Whoever waits for items: the one that got the fewest, by virtual time, is served next. */
interface Waiting {
  vtime: number;
}
type Share<Target extends Backlog> = Target & { count: number };
interface RunAccount<Target extends Backlog> extends Waiting {
  targets: Share<Target>[];
}
interface UserAccount<Target extends Backlog> extends Waiting {
  id: string;
  runs: RunAccount<Target>[];
}

/**
 * Start-time fair queueing on two levels: between the users of a lane, then between the runs of a user. Whoever has
 * the least virtual time is served, and that time advances by the items it gets. A newcomer starts at the time that
 * the others have reached, so it neither waits behind them nor makes up for the time before it came. A user with
 * fifty runs has one share.
 *
 * Goyal, Vin, Cheng: Start-time Fair Queueing (SIGCOMM 1996).
 *
 * @param room how many items to hand out
 * @param roomOfRun how many items a run may get at most; a run that is not in it gets as many as it has
 * @param laneVtime virtual time of the lane: the start tag of the user that was served last
 */
export function shareFairly<Target extends Backlog>(
  backlogs: readonly Target[],
  room: number,
  roomOfRun: ReadonlyMap<string, number>,
  laneVtime: number,
): { taken: Share<Target>[]; users: Map<string, number>; vtime: number } {
  const shares = backlogs.map((backlog) => ({ ...backlog, count: 0 }));
  const roomLeft = new Map(roomOfRun);
  const itemsLeft = ({ runId, n, cursor, redo, count }: Share<Target>): number =>
    Math.min(n - cursor + redo - count, roomLeft.get(runId) ?? Infinity);
  const hasItems = (share: Share<Target>): boolean => itemsLeft(share) > 0;

  const waiting = withItems(openAccounts(shares, laneVtime), hasItems, room);
  const users = new Map<string, number>();
  let vtime = laneVtime;
  while (room > 0 && waiting.length > 0) {
    const user = furthestBehind(waiting);
    const run = furthestBehind(user.runs);
    const share = furthestBehind(run.targets);
    const count = Math.min(room, itemsLeft(share), QUANTUM);
    room -= count;
    share.count += count;
    if (roomLeft.has(share.runId)) roomLeft.set(share.runId, roomLeft.get(share.runId)! - count);
    vtime = Math.max(vtime, user.vtime);
    run.vtime += count;
    share.vtime = run.vtime;
    user.vtime += count;
    users.set(user.id, user.vtime);
    run.targets = run.targets.filter(hasItems);
    if (run.targets.length === 0) user.runs.splice(user.runs.indexOf(run), 1);
    if (user.runs.length === 0) waiting.splice(waiting.indexOf(user), 1);
  }
  return { taken: shares.filter(({ count }) => count > 0), users, vtime };
}

/** The users of the targets, with their runs, at the virtual times from which they take part. */
function openAccounts<Target extends Backlog>(shares: Share<Target>[], laneVtime: number): UserAccount<Target>[] {
  return [...Map.groupBy(shares, ({ userId }) => userId)].map(([id, ofUser]) => {
    const runs = [...Map.groupBy(ofUser, ({ runId }) => runId).values()].map((targets) => ({
      vtime: Math.max(0, ...targets.map((target) => target.vtime)),
      targets,
    }));
    // Runs that wait together are never further apart than a quantum. One that is further behind has just come, or
    // come back.
    const furthest = Math.max(...runs.map((run) => run.vtime));
    for (const run of runs) run.vtime = Math.max(run.vtime, furthest - QUANTUM);
    return { id, vtime: Math.max(ofUser[0]!.userVtime, laneVtime), runs };
  });
}

/**
 * Those that have items, and of them only as many as can get a turn: each turn serves whoever is furthest behind,
 * and there are at most `room` turns.
 */
function withItems<Target extends Backlog>(
  users: UserAccount<Target>[],
  hasItems: (share: Share<Target>) => boolean,
  room: number,
): UserAccount<Target>[] {
  const runsWithItems = ({ runs }: UserAccount<Target>): RunAccount<Target>[] =>
    runs
      .map(({ vtime, targets }) => ({ vtime, targets: targets.filter(hasItems) }))
      .filter(({ targets }) => targets.length > 0)
      .map(({ vtime, targets }) => ({ vtime, targets: furthestFew(targets, room) }));
  const usersWithItems = users
    .map((user) => ({ ...user, runs: furthestFew(runsWithItems(user), room) }))
    .filter(({ runs }) => runs.length > 0);
  return furthestFew(usersWithItems, room);
}

/** At most `count` of them: those that are furthest behind, in the order they had. */
function furthestFew<One extends Waiting>(all: One[], count: number): One[] {
  if (all.length <= count) return all;
  const few = new Set(all.toSorted((a, b) => a.vtime - b.vtime).slice(0, count));
  return all.filter((one) => few.has(one));
}

/** The first of those that are furthest behind. */
const furthestBehind = <One extends Waiting>(all: readonly One[]): One =>
  all.reduce((best, one) => (one.vtime < best.vtime ? one : best));
