import type { Output } from '../../api/routes.ts';
import { directionOf, shares, signedUsd, usd } from '../../format/money.ts';
import { words } from '../../format/text.ts';
import { amountIn, exactIn, priceIn, resultIn } from '../../format/viewed.ts';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Stat, Stats } from '../../ui/layout.tsx';
import { StateDot } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';

type Portfolio = Output<'GET /api/portfolio/'>;
type Venue = Portfolio['viewed'][number];
type Position = Portfolio['viewedPositions'][number]['position'];

/** What is held at each view-only venue; nothing of one that answers and where nothing is held. */
export function Viewed({ portfolio }: { readonly portfolio: Portfolio }) {
  return portfolio.viewed
    .filter(({ positions, state }) => positions > 0 || state === 'slow' || state === 'away')
    .map((venue) => (
      <ViewedVenue
        key={venue.venue}
        venue={venue}
        positions={portfolio.viewedPositions.flatMap((each) =>
          each.venue === venue.venue ? [each.position] : [],
        )}
      />
    ));
}

const STATES = {
  ok: ['on', 'Answers'],
  partial: ['late', 'Not all of it can be read'],
  slow: ['late', 'Has not answered yet'],
  away: ['bad', 'Away'],
} as const;

function ViewedVenue({
  venue,
  positions,
}: {
  readonly venue: Venue;
  readonly positions: readonly Position[];
}) {
  const title = `At ${words(venue.venue)}, view only`;
  const [dot, said] = STATES[venue.state];
  return (
    <Card
      title={title}
      aside={
        <StateDot state={dot}>
          {said}
          {venue.readAtMs === null ? null : (
            <>
              , read <Moment atMs={venue.readAtMs} />
            </>
          )}
        </StateDot>
      }
    >
      <Stats>
        <Stat name="Worth there, not counted above" term="viewOnly">
          {usd(venue.valueUsd)}
        </Stat>
        <Stat name="Profit there">
          <Result amount={venue.profitUsd}>{signedUsd(venue.profitUsd)}</Result>
        </Stat>
        <Stat name={`To claim at ${words(venue.venue)}`}>{usd(venue.claimableUsd)}</Stat>
      </Stats>
      {positions.length === 0 ? null : <Positions title={title} positions={positions} />}
    </Card>
  );
}

function Positions({
  title,
  positions,
}: {
  readonly title: string;
  readonly positions: readonly Position[];
}) {
  return (
    <Table
      caption={title}
      rows={positions}
      keyOf={({ marketId, outcomeId }) => `${marketId} ${outcomeId}`}
      columns={[
        {
          head: 'Market',
          cell: (position) => (
            <>
              <bdi>{position.question}</bdi>
              <div className="faint">
                <bdi>{position.outcomeLabel}</bdi> ·{' '}
                {position.network.name ?? `network ${position.network.chainId}`}
                {position.state === 'open' ? '' : ` · ${position.state}`}
                {position.isClaimable ? ', to claim there' : ''}
              </div>
            </>
          ),
        },
        { head: 'Shares', isNumber: true, cell: (position) => shares(position.shares) },
        {
          head: 'Bought at',
          isNumber: true,
          cell: ({ currency, entryPrice }) => priceIn(currency, entryPrice),
        },
        {
          head: 'Now',
          isNumber: true,
          cell: ({ currency, currentPrice }) => priceIn(currency, currentPrice),
        },
        {
          head: 'Worth',
          isNumber: true,
          cell: ({ currency, value }) => (
            <span title={exactIn(currency, value)}>{amountIn(currency, value)}</span>
          ),
        },
        {
          head: 'Profit',
          isNumber: true,
          cell: ({ currency, profit }) => (
            <Result amount={profit} title={exactIn(currency, profit)}>
              {resultIn(currency, profit)}
            </Result>
          ),
        },
        {
          head: 'Ends',
          isNumber: true,
          cell: ({ endsAtMs }) => <Moment atMs={endsAtMs} />,
        },
      ]}
    />
  );
}

/** A result in the colour of its sign. */
function Result({
  amount,
  title,
  children,
}: {
  readonly amount: string | null;
  readonly title?: string;
  readonly children: string;
}) {
  const direction = directionOf(amount);
  return (
    <span className={direction === 'flat' ? undefined : direction} title={title}>
      {children}
    </span>
  );
}
