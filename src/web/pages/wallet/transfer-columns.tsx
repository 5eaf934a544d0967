import { shortHash } from '../../format/text.ts';
import type { Column } from '../../ui/table.tsx';
import { type Transferred, transferProgress } from './progress.ts';
import { stateColumn, WHEN } from './record-columns.tsx';

/** Where to, how far, by which transaction and when. */
export const TRANSFER_COLUMNS: readonly Column<Transferred & { readonly to: string }>[] = [
  {
    head: 'To',
    cell: ({ to }) => (
      <span className="mono" title={to}>
        {shortHash(to)}
      </span>
    ),
  },
  stateColumn(transferProgress),
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
