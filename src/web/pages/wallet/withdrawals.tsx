import { call } from '../../api/client.ts';
import { usePages } from '../../api/paged.ts';
import { shortHash } from '../../format/text.ts';
import { Card } from '../../ui/card.tsx';
import { Money } from '../../ui/figures.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/state.tsx';
import { withdrawalProgress } from './progress.ts';
import { progressBelow, stateColumn, WHEN } from './record-columns.tsx';

/** Money that left the Safe for one's own wallet, newest first, each followed to its end. */
export function Withdrawals() {
  const list = usePages('GET /api/venue_a/safe/withdraw/', (query, options) =>
    call('GET /api/venue_a/safe/withdraw/', { query }, options),
  );
  return (
    <Card title="Withdrawals">
      <PagedTable
        of={list}
        caption="Withdrawals"
        empty={<Empty>You have withdrawn nothing yet.</Empty>}
        keyOf={({ withdrawalId }) => withdrawalId}
        below={progressBelow(withdrawalProgress)}
        columns={[
          {
            head: 'Amount',
            cell: ({ amount, token }) => (
              <>
                <Money amount={amount} /> as {token}
              </>
            ),
          },
          stateColumn(withdrawalProgress),
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
        ]}
      />
    </Card>
  );
}
