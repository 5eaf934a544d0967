import type { Output } from '../../api/routes.ts';
import { cents } from '../../format/money.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Money, Profit } from '../../ui/figures.tsx';
import { Empty } from '../../ui/state.tsx';
import { Term } from '../../ui/term.tsx';
import styles from './agents.module.css';
import { comparisonEmpty } from './empty-words.ts';
import type { Performance } from './shown-performance.ts';

type Paper = NonNullable<Output<'GET /api/agents/:agent/performance'>['paper']>;

/**
 * What the agent did with real money beside its run on paper in the same markets: how wrong paper
 * was about price, fills and profit. Of one that trades on paper, what it made with real money
 * before.
 */
export function BesidePaper({
  paper: { account, shadow, difference },
  live,
  isPaper,
}: {
  readonly paper: Paper;
  readonly live: Performance;
  readonly isPaper: boolean;
}) {
  const { entries, liveFilled, paperFilled, slippagePerShare, feesUsdc, realizedPnl } = difference;
  const ran = shadow === null ? null : <Profit key="shadow" amount={shadow.realizedPnl} />;
  return (
    <Card title={<Term of="paper">Real money and paper</Term>}>
      {entries === 0 ? (
        <Empty>{comparisonEmpty(live, isPaper)}</Empty>
      ) : (
        <>
          <p className={styles['aside']}>
            {entries} {entries === 1 ? 'entry' : 'entries'} with real money, each beside the same
            one on paper.
          </p>
          <Facts
            rows={[
              ['Filled, real and paper', `${liveFilled}, ${paperFilled}`],
              ['Paid beyond paper, a share', cents(slippagePerShare), 'beyondPaper'],
              ['Profit of these, real', <Profit key="real" amount={realizedPnl.live} />],
              ['Profit of these on paper', <Profit key="same" amount={realizedPnl.paper} />],
              ['Fees of these, real', <Money key="fees" amount={feesUsdc.live} />],
              ['Fees of these on paper', <Money key="paper fees" amount={feesUsdc.paper} />],
            ]}
          />
        </>
      )}
      <Facts
        rows={[
          ...(ran === null
            ? []
            : ([['Same strategy on paper, shared run', ran, 'shadow']] as const)),
          isPaper
            ? ['With real money, before', <Profit key="live" amount={live.realizedPnl} />]
            : ['While enabled on paper', <Profit key="account" amount={account.realizedPnl} />],
        ]}
      />
    </Card>
  );
}
