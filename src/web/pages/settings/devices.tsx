import { useAttempt } from '../../api/attempt.ts';
import { readAgain, useChange, useRead } from '../../api/query.ts';
import { subscribe, whyNoPush } from '../../app/push.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Empty, ProblemNote, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';

/** Browsers that are notified of trades, deposits and questions while no page is open. */
export function Devices() {
  const devices = useRead('GET /api/user/push/subscriptions', {});
  const remove = useChange('DELETE /api/user/push/subscriptions/:id', [
    'GET /api/user/push/subscriptions',
  ]);
  const { isBusy, problem, make } = useAttempt();
  const add = () =>
    make(async () => {
      await subscribe();
      await readAgain(['GET /api/user/push/subscriptions']);
    });
  return (
    <Card title="Notifications on this and other devices" isPadded>
      <p className="muted">
        Trades, deposits and what assistants ask of you, also while no page is open.
      </p>
      <Read
        of={devices}
        isEmpty={({ data }) => data.length === 0}
        empty={<Empty>No device is notified yet.</Empty>}
      >
        {({ data }) => (
          <Table
            caption="Devices that are notified"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { head: 'By', cell: ({ host }) => host },
              { head: 'Since', isNumber: true, cell: (each) => <Moment atMs={each.createdAtMs} /> },
              {
                head: '',
                cell: ({ id }) => (
                  <Button isSmall onClick={() => remove.mutate({ params: { id } })}>
                    Tell it no more
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Read>
      <Button isBusy={isBusy} blocked={whyNoPush()} onClick={() => void add()}>
        Notify this browser
      </Button>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </Card>
  );
}
