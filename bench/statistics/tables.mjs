export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
export const count = (number) => number.toLocaleString('en');

const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);

/** Prints a table in Markdown. */
export function table(title, header, rows) {
  console.log(`\n${title}\n`);
  row(...header);
  row(...header.map(() => '---'));
  for (const cells of rows) row(...cells);
}
