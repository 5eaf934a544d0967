import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { sendOnce } from '../../api/money-request.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { usd } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import { type AnsweredClaim, type ClaimedVenue, claimSentence, wonOf } from './claims.ts';

const CLAIMS: Readonly<
  Record<
    ClaimedVenue,
    (idempotencyKey: string) => Promise<Output<'POST /api/venue_c/portfolio/claim-position'>>
  >
> = {
  venue_a: (idempotencyKey) =>
    call('POST /api/venue_a/token/claim/', { body: {} }, { idempotencyKey }),
  venue_c: (idempotencyKey) =>
    call('POST /api/venue_c/portfolio/claim-position', { body: {} }, { idempotencyKey }),
};

/** What was won and is not paid out yet, and how far what was claimed here is. */
export function Claim({
  positions,
}: {
  readonly positions: Output<'GET /api/portfolio/'>['positions'];
}) {
  const { isBusy, problem, make } = useAttempt();
  const [claims, setClaims] = useState<readonly AnsweredClaim[] | null>(null);
  const closed = useRead('GET /api/portfolio/trades', { query: { kind: 'closed' } });
  const won = wonOf(positions);
  const isPaid = (marketId: string): boolean =>
    (closed.data?.data ?? []).some(
      (trade) =>
        trade.kind === 'closed' &&
        trade.position.marketId === marketId &&
        trade.position.state === 'redeemed',
    );
  const claim = async (): Promise<void> => {
    const questions = new Map(
      won.positions.map(({ position }) => [position.marketId, position.question]),
    );
    await make(async () => {
      const answered: AnsweredClaim[] = [];
      for (const venue of won.venues) {
        const { data } = await sendOnce(`claim at ${venue}`, {}, CLAIMS[venue]);
        answered.push(
          ...data.map((each) => ({
            ...each,
            question: questions.get(each.marketId) ?? each.marketId,
          })),
        );
      }
      setClaims(answered);
    });
    void readAgain(['GET /api/portfolio/', 'GET /api/portfolio/trades']);
  };
  const count = won.positions.length;
  if (count === 0 && claims === null) return null;
  return (
    <Card title="To be paid out" isPadded>
      <div style={{ display: 'grid', gap: 10, justifyItems: 'start' }}>
        {count === 0 ? null : (
          <>
            <p>
              {count === 1 ? 'A position that has ended pays' : `${count} positions pay`}{' '}
              {usd(won.worth)}, by itself. A claim asks for it now.
            </p>
            <Button isSmall variant="primary" isBusy={isBusy} onClick={() => void claim()}>
              Claim {usd(won.worth)}
            </Button>
          </>
        )}
        {problem === null ? null : <ProblemNote problem={problem} />}
        <div role="status">
          {claims === null ? null : claims.length === 0 ? (
            <p>Nothing waits to be claimed any more: it was paid out.</p>
          ) : (
            claims.map((each) => (
              <p key={each.marketId}>
                <bdi>{claimSentence(each, isPaid(each.marketId))}</bdi>
              </p>
            ))
          )}
        </div>
      </div>
    </Card>
  );
}
