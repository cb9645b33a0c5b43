interface Point {
  x: number;
  y: number;
}

/** The points that no point further left reaches or exceeds, from the left: what more of `x` buys. */
export function frontierOf<Of extends Point>(points: readonly Of[]): Of[] {
  const ordered = points.toSorted((one, other) => one.x - other.x || other.y - one.y);
  const frontier: Of[] = [];
  for (const point of ordered) {
    const last = frontier.at(-1);
    const isEqual = last?.x === point.x && last.y === point.y;
    if (!last || point.y > last.y || isEqual) frontier.push(point);
  }
  return frontier;
}
