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
 * Start-time fair queueing on two levels: between the users of a lane, then between the runs of a user. The one
 * with the least virtual time is served and its time advances by what it got. A newcomer starts at the time the
 * others have reached: it is not stuck behind them, nor does it get what they had while it was away. A user with
 * fifty runs has one share.
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
  // Each turn serves whoever is furthest behind: of many who wait, only as many as there is room for can get their
  // turn.
  const behind = <Waiting extends { vtime: number }>(all: Waiting[]): Waiting[] => {
    if (all.length <= room) return all;
    const few = new Set(all.toSorted((a, b) => a.vtime - b.vtime).slice(0, room));
    return all.filter((one) => few.has(one));
  };
  const waiting = behind(
    [...users].flatMap(([id, { vtime: reached, runs }]) => {
      const some = [...runs.values()].flatMap((run) => {
        const rest = run.targets.filter((target) => left(target) > 0);
        return rest.length ? [{ vtime: run.vtime, targets: behind(rest) }] : [];
      });
      return some.length ? [{ id, vtime: reached, runs: behind(some) }] : [];
    }),
  );
  while (room > 0 && waiting.length > 0) {
    const account = least(waiting);
    const run = least(account.runs);
    const target = least(run.targets);
    const count = Math.min(room, left(target), QUANTUM);
    target.count += count;
    if (roomLeft.has(target.runId)) roomLeft.set(target.runId, roomLeft.get(target.runId)! - count);
    vtime = Math.max(vtime, account.vtime);
    run.vtime += count;
    target.vtime = run.vtime;
    account.vtime += count;
    served.set(account.id, account.vtime);
    room -= count;
    run.targets = run.targets.filter((one) => left(one) > 0);
    if (run.targets.length === 0) account.runs.splice(account.runs.indexOf(run), 1);
    if (account.runs.length === 0) waiting.splice(waiting.indexOf(account), 1);
  }
  return { taken: targets.filter((target) => target.count > 0), users: served, vtime };
}

/** The first of those that are furthest behind. */
const least = <Waiting extends { vtime: number }>(of: readonly Waiting[]): Waiting =>
  of.reduce((best, one) => (one.vtime < best.vtime ? one : best));
