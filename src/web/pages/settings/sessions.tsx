import { useChange, useRead } from '../../api/query.ts';
import { session as ownSession } from '../../api/session.ts';
import { deviceName } from '../../format/device.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { ProblemNote, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';

const METHODS = {
  otp: 'by phone',
  google: 'by Google',
  siwf: 'by Farcaster',
  apikey: 'by an API key',
} as const;

/** Devices that are signed in, each with its end, and the end of all others. */
export function Sessions() {
  const list = useRead('GET /api/auth/sessions/', {});
  const end = useChange('DELETE /api/auth/sessions/:id/', ['GET /api/auth/sessions/']);
  const endOthers = useChange('DELETE /api/auth/sessions/', ['GET /api/auth/sessions/']);
  const problem = end.error ?? endOthers.error;
  const others = (list.data?.data.length ?? 1) - 1;
  return (
    <Card
      title="Where you are signed in"
      aside={
        others < 1 ? null : (
          <Button
            isSmall
            variant="danger"
            isBusy={endOthers.isPending}
            onClick={() => endOthers.mutate({})}
          >
            {others === 1 ? 'End the other one' : `End the ${others} others`}
          </Button>
        )
      }
    >
      {problem === null ? null : <ProblemNote problem={problem} />}
      <Read of={list}>
        {({ data }) => (
          <Table
            caption="Where you are signed in"
            rows={data}
            keyOf={({ sessionId }) => sessionId}
            columns={[
              {
                head: 'Device',
                cell: ({ program, method, isCurrent }) => (
                  <>
                    <bdi title={program ?? undefined}>{deviceName(program)}</bdi>
                    <div className="faint">
                      {METHODS[method]}
                      {isCurrent ? ' · this one' : ''}
                    </div>
                  </>
                ),
              },
              {
                head: 'Signed in',
                isNumber: true,
                cell: ({ beganAtMs }) => <Moment atMs={beganAtMs} />,
              },
              {
                head: 'Last used',
                isNumber: true,
                cell: ({ usedAtMs }) => <Moment atMs={usedAtMs} />,
              },
              {
                head: 'Ends unused',
                isNumber: true,
                cell: ({ expiresAtMs }) => <Moment atMs={expiresAtMs} />,
              },
              {
                head: '',
                cell: ({ sessionId, program, isCurrent }) =>
                  isCurrent ? (
                    <Button isSmall onClick={() => void ownSession.signOut()}>
                      Sign out
                    </Button>
                  ) : (
                    <Button
                      isSmall
                      variant="danger"
                      aria-label={`End ${deviceName(program)}`}
                      isBusy={end.isPending && end.variables.params.id === sessionId}
                      onClick={() => end.mutate({ params: { id: sessionId } })}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Read>
    </Card>
  );
}
