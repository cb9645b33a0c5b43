import type { ReactNode } from 'react';

interface Numbers {
  /** What the numbers measure; unique among the tables of the page. */
  label: string;
  head: readonly string[];
  /** The first cell of each row names it. */
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}

/** A figure's numbers as a table, behind a disclosure. */
export function Numbers({ label, head, rows }: Numbers) {
  return (
    <details className="numbers">
      <summary>The numbers</summary>
      <div className="wide" role="region" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells: [name, ...cells] }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                {cells.map((cell, index) => (
                  <td key={head[index + 1]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
