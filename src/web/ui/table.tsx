import { Fragment, type Key, type ReactNode } from 'react';
import styles from './table.module.css';
import { Term } from './term.tsx';
import type { TermName } from './terms.ts';

/**
 * A column: its heading, empty for one of buttons, and what a row shows there. The first one is the
 * row's name.
 */
export interface Column<Row> {
  readonly head: string;
  readonly isNumber?: boolean;
  /** Explains the heading. */
  readonly term?: TermName;
  cell(row: Row): ReactNode;
}

/** A table whose rows become small cards where its own card is too narrow for its columns. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  below,
}: {
  /** Read to those who do not see the heading above. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): Key;
  /** What is shown below a row over its whole width; null for nothing. */
  below?(row: Row, rows: readonly Row[]): ReactNode;
}) {
  return (
    <div className={styles['wrap']}>
      <table className={styles['table']}>
        <caption className="hidden-visually">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, isNumber, term }) => (
              <th
                key={head}
                scope="col"
                className={isNumber === true ? styles['right'] : undefined}
              >
                {head === '' ? (
                  <span className="hidden-visually">What can be done</span>
                ) : (
                  <Term of={term}>{head}</Term>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const under = below?.(row, rows) ?? null;
            return (
              <Fragment key={keyOf(row)}>
                <tr className={under === null ? undefined : styles['above']}>
                  {columns.map(({ head, isNumber, cell }, index) => (
                    <td
                      key={head}
                      data-label={head}
                      className={`${index === 0 ? styles['main'] : ''} ${isNumber === true ? styles['right'] : ''}`}
                    >
                      {cell(row)}
                    </td>
                  ))}
                </tr>
                {under === null ? null : (
                  <tr>
                    <td className={styles['below']} colSpan={columns.length}>
                      {under}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
