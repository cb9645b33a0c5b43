/** The ten characters that stay when a name is cut: models often differ at their ends. */
const CUT = /^(.{10,}?)?(.{0,10})$/su;
/** Hebrew, Arabic and their kin. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/;

/**
 * The part of a name that gives way where there is no room, and the part that stays. A name that is read from right to
 * left is one piece: each of two would have an order of its own.
 */
export function halvesOf(name: string): [start: string, end: string] {
  if (RIGHT_TO_LEFT.test(name)) return [name, ''];
  const [, start = '', end = ''] = CUT.exec(name)!;
  return [start, end];
}
