import type { Output } from '../../api/routes.ts';
import { cents } from '../../format/money.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Money, Profit } from '../../ui/figures.tsx';
import { Empty } from '../../ui/state.tsx';
import styles from './agents.module.css';

type Paper = NonNullable<Output<'GET /api/agents/:agent/performance'>['paper']>;

/**
 * What the agent did for real beside its run on paper in the same markets: how wrong paper was
 * about price, fills and profit.
 */
export function BesidePaper({ paper: { account, shadow, difference } }: { readonly paper: Paper }) {
  const { entries, liveFilled, paperFilled, slippagePerShare, feesUsdc, realizedPnl } = difference;
  return (
    <Card title="Beside paper">
      {entries === 0 ? (
        <Empty>
          No entry with real money has ended yet, so there is nothing to compare with paper.
        </Empty>
      ) : (
        <>
          <p className={styles['aside']}>
            {entries} {entries === 1 ? 'entry' : 'entries'} with real money, each beside the same
            one on paper.
          </p>
          <Facts
            rows={[
              ['Filled, real and paper', `${liveFilled}, ${paperFilled}`],
              ['Paid beyond paper, a share', cents(slippagePerShare)],
              ['Profit, real', <Profit key="real" amount={realizedPnl.live} />],
              ['Profit of the same on paper', <Profit key="same" amount={realizedPnl.paper} />],
              ['Fees, real', <Money key="fees" amount={feesUsdc.live} />],
              ['Fees on paper', <Money key="paper fees" amount={feesUsdc.paper} />],
            ]}
          />
        </>
      )}
      <Facts
        rows={[
          ...(shadow === null
            ? []
            : [
                [
                  'Run beside the live agent, all markets',
                  <Profit key="shadow" amount={shadow.realizedPnl} />,
                ] as const,
              ]),
          ['Enabled on paper', <Profit key="account" amount={account.realizedPnl} />],
        ]}
      />
    </Card>
  );
}
