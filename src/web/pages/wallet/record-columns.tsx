import type { ReactNode } from 'react';
import { type PaidGas, tokenAmount } from '../../format/money.ts';
import { Moment } from '../../ui/figures.tsx';
import { Gas } from '../../ui/gas.tsx';
import { ProgressSteps, UnderWay } from '../../ui/progress.tsx';
import type { Column } from '../../ui/table.tsx';
import { isDone, isUnderWay, type Progress, usualMs } from './progress.ts';
import styles from './wallet.module.css';

/**
 * How far something is, in words, and why where there is a reason; what is done has its steps to
 * unfold.
 */
export function stateColumn<Row>(progressOf: (row: Row) => Progress): Column<Row> {
  return {
    head: 'State',
    cell: (row) => {
      const { words, reason, steps } = progressOf(row);
      return (
        <>
          {steps.length > 1 && isDone({ steps }) ? (
            <details>
              <summary>{words}</summary>
              <ProgressSteps name="Steps" steps={steps} />
            </details>
          ) : (
            words
          )}
          {reason === null ? null : (
            <div className="faint">
              <bdi>{reason}</bdi>
            </div>
          )}
        </>
      );
    },
  };
}

/** The picture below a row that is under way or did not come to its end. */
export function progressBelow<Row>(
  progressOf: (row: Row) => Progress,
): (row: Row, rows: readonly Row[]) => ReactNode {
  return (row, rows) => {
    const { words, steps, kind } = progressOf(row);
    if (isDone({ steps })) return null;
    const [first] = steps;
    return (
      <div className={styles['progress']}>
        <ProgressSteps name={`Steps: ${words}`} steps={steps} />
        {isUnderWay({ steps }) && typeof first?.atMs === 'number' ? (
          <UnderWay sinceMs={first.atMs} usualMs={usualMs(rows.map(progressOf), kind)} />
        ) : null}
      </div>
    );
  };
}

/** When it was made. */
export const WHEN: Column<{ readonly createdAtMs: number }> = {
  head: 'When',
  isNumber: true,
  cell: ({ createdAtMs }) => <Moment atMs={createdAtMs} />,
};

/** What something on Solana took of the wallet: of what failed the network's fee alone. */
export const COST: Column<{
  readonly state: string;
  readonly costSol: string;
  readonly gas: PaidGas | null;
}> = {
  head: 'Cost',
  isNumber: true,
  cell: ({ state, costSol, gas }) => {
    if (state !== 'failed') return `${tokenAmount(costSol)} SOL`;
    return gas === null ? '–' : <Gas of={gas} />;
  },
};
