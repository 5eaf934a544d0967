import { shortHash } from '../../format/text.ts';
import type { Column } from '../../ui/table.tsx';
import { stateColumn, WHEN } from './record-columns.tsx';

/** What transfers to others and into the Safe have in common. */
export interface Transferred {
  readonly state: 'queued' | 'sent' | 'settled' | 'failed';
  readonly to: string;
  readonly reason: string | null;
  readonly transactionHash: string | null;
  readonly createdAtMs: number;
}

const STATES = {
  queued: 'waiting here',
  sent: 'on its way',
  settled: 'arrived, final',
  failed: 'failed: nothing but fees has moved',
} as const;

/** Where to, how far, by which transaction and when. */
export const TRANSFER_COLUMNS: readonly Column<Transferred>[] = [
  {
    head: 'To',
    cell: ({ to }) => (
      <span className="mono" title={to}>
        {shortHash(to)}
      </span>
    ),
  },
  stateColumn((state: keyof typeof STATES) => STATES[state]),
  {
    head: 'Transaction',
    cell: ({ transactionHash }) =>
      transactionHash === null ? (
        '–'
      ) : (
        <span className="mono" title={transactionHash}>
          {shortHash(transactionHash)}
        </span>
      ),
  },
  WHEN,
];
