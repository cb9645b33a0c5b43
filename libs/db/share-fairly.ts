/** A target with items left, as the dispatcher sees it. Virtual times count items served. */
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

/** Items are handed out in small pieces, so that a window is shared even when it has little room. */
const QUANTUM = 4;

/**
 * Start-time fair queueing on two levels: between the users of a lane, then between the runs of a user. The one with the
 * least virtual time is served and its time advances by what it got. A newcomer starts at the time the others have reached:
 * it is not stuck behind them, nor does it get what they had while it was away. A user with fifty runs has one share.
 *
 * Goyal, Vin, Cheng: Start-time Fair Queueing (SIGCOMM 1996).
 *
 * @param room how many items to hand out
 * @param roomOfRun how many items a run may have at most; a run that is not in it as many as it has
 * @param laneVtime virtual time of the lane: the start tag of the user last served
 */
export function shareFairly(
  backlogs: readonly Backlog[],
  room: number,
  roomOfRun: ReadonlyMap<string, number>,
  laneVtime: number,
): { taken: (Backlog & { count: number })[]; users: Map<string, number>; vtime: number } {
  const targets = backlogs.map((backlog) => ({ ...backlog, count: 0 }));
  const roomLeft = new Map(roomOfRun);
  const left = (target: (typeof targets)[number]): number =>
    Math.min(target.n - target.cursor + target.redo - target.count, roomLeft.get(target.runId) ?? Infinity);

  const users = new Map<string, { vtime: number; runs: Map<string, { vtime: number; targets: typeof targets }> }>();
  for (const target of targets) {
    let user = users.get(target.userId);
    if (!user) users.set(target.userId, (user = { vtime: Math.max(target.userVtime, laneVtime), runs: new Map() }));
    let run = user.runs.get(target.runId);
    if (!run) user.runs.set(target.runId, (run = { vtime: 0, targets: [] }));
    run.targets.push(target);
    run.vtime = Math.max(run.vtime, target.vtime);
  }
  for (const { runs } of users.values()) {
    // Runs that wait together are never further apart than a quantum: one that is has just come, or come back.
    const furthest = Math.max(...[...runs.values()].map((run) => run.vtime));
    for (const run of runs.values()) run.vtime = Math.max(run.vtime, furthest - QUANTUM);
  }

  let vtime = laneVtime;
  const served = new Map<string, number>();
  while (room > 0) {
    const user = least([...users].filter(([, { runs }]) => [...runs.values()].some((run) => run.targets.some((t) => left(t) > 0))), ([, u]) => u.vtime);
    if (!user) break;
    const [userId, account] = user;
    const run = least([...account.runs.values()].filter((r) => r.targets.some((t) => left(t) > 0)), (r) => r.vtime)!;
    const target = least(run.targets.filter((t) => left(t) > 0), (t) => t.vtime)!;
    const count = Math.min(room, left(target), QUANTUM);
    target.count += count;
    if (roomLeft.has(target.runId)) roomLeft.set(target.runId, roomLeft.get(target.runId)! - count);
    vtime = Math.max(vtime, account.vtime);
    run.vtime += count;
    target.vtime = run.vtime;
    account.vtime += count;
    served.set(userId, account.vtime);
    room -= count;
  }
  return { taken: targets.filter((target) => target.count > 0), users: served, vtime };
}

function least<Item>(items: Item[], key: (item: Item) => number): Item | undefined {
  let best: Item | undefined;
  for (const item of items) if (best === undefined || key(item) < key(best)) best = item;
  return best;
}
