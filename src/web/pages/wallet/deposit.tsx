import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { usePages } from '../../api/paged.ts';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { tokenAmount, usd } from '../../format/money.ts';
import { PAGES } from '../../routes.ts';
import { depositedToken } from './deposited-token.ts';
import { chainName } from './holdings.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Select } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { depositProgress } from './progress.ts';
import { progressBelow, stateColumn, WHEN } from './record-columns.tsx';
import styles from './wallet.module.css';

type Chain = Output<'POST /api/venue_a/bridge/deposit-addresses/'>['data'][number]['chain'];

/**
 * Money in: chain and token with its least amount first, the address last, then how far it has
 * come.
 */
export function DepositPage() {
  const assets = useRead('GET /api/venue_a/bridge/supported-assets/', {});
  const client = useRead('GET /api/client', {});
  const [chain, setChain] = useState<Chain | null>(null);
  const [symbol, setSymbol] = useState<string | null>(null);
  return (
    <Page title="Deposit" sub={<WhereItArrives />}>
      <div className={styles['narrow']}>
        {client.data?.profile === 'sandbox' ? (
          <p className="warn" role="note" style={{ marginBottom: 14 }}>
            This is a sandbox: its chains are local and its money is play money. Send nothing real
            to these addresses; it would be lost.
          </p>
        ) : null}
        <Card isPadded>
          <Read of={assets} lines={4}>
            {({ data }) => {
              const chains = [...new Set(data.map((asset) => asset.chain))];
              const at = chain ?? chains[0] ?? null;
              const tokens = data.filter((asset) => asset.chain === at);
              const token = tokens.find((asset) => asset.symbol === symbol) ?? tokens[0] ?? null;
              return (
                <div className={styles['form']}>
                  <div className={styles['line']}>
                    <Select
                      label="From which chain"
                      value={at ?? ''}
                      onChange={(event) =>
                        setChain(chains.find((each) => each === event.target.value) ?? null)
                      }
                    >
                      {chains.map((each) => (
                        <option key={each} value={each}>
                          {chainName(each)}
                        </option>
                      ))}
                    </Select>
                    <Select
                      label="Which token"
                      value={token?.symbol ?? ''}
                      onChange={(event) => setSymbol(event.target.value)}
                    >
                      {tokens.map((each) => (
                        <option key={each.tokenAddress} value={each.symbol}>
                          {each.symbol}
                        </option>
                      ))}
                    </Select>
                  </div>
                  {at === null || token === null ? null : (
                    <Address chain={at} symbol={token.symbol} minimumUsd={token.minimumUsd} />
                  )}
                </div>
              );
            }}
          </Read>
        </Card>
      </div>
      <Deposits />
    </Page>
  );
}

/** Which money is whose: each venue is paid from a wallet of its own. */
function WhereItArrives() {
  return (
    <span>
      From here money goes to venue a: whatever you send arrives as pUSD in your Safe on Polygon.
      Venue b is paid in USDC from your own Solana wallet, and venue c in USDC from your EVM wallet
      on Base: send it to the address of that{' '}
      <Link href={PAGES.wallet} className="link">
        wallet
      </Link>
      , or{' '}
      <Link href={PAGES.swap} className="link">
        bridge
      </Link>{' '}
      it there.
    </span>
  );
}

function Address({
  chain,
  symbol,
  minimumUsd,
}: {
  readonly chain: Chain;
  readonly symbol: string;
  readonly minimumUsd: string;
}) {
  const addresses = useQuery<Output<'POST /api/venue_a/bridge/deposit-addresses/'>, Problem>({
    queryKey: ['deposit addresses'],
    queryFn: () => call('POST /api/venue_a/bridge/deposit-addresses/', {}),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Read of={addresses} lines={6}>
      {({ data }) => {
        const address = data.find((each) => each.chain === chain)?.address;
        if (address === undefined) return <Empty>There is no address on this chain.</Empty>;
        return (
          <div className={styles['pay']}>
            <p>
              Send <strong>{symbol}</strong> on <strong>{chainName(chain)}</strong>, at least{' '}
              <strong>{usd(minimumUsd)}</strong>. Smaller amounts are not moved.
            </p>
            <p>
              <strong>This address funds venue a.</strong>
              {chain === 'SOLANA' ? (
                <>
                  {' '}
                  It is not your own Solana wallet: to fund venue b, send USDC to the address of
                  your{' '}
                  <Link href={PAGES.wallet} className="link">
                    Solana wallet
                  </Link>
                  .
                </>
              ) : null}
            </p>
            <p className="muted">
              It arrives as pUSD in your Safe on Polygon, less what the way there costs. You can
              trade with it at venue a as soon as its line below says “arrived”.
            </p>
            <QrCode text={address} />
            <p className={styles['full']}>{address}</p>
            <Copy text={address} what="address" />
          </div>
        );
      }}
    </Read>
  );
}

/** How a deposit came. */
const WAYS = {
  bridge: 'by the bridge',
  direct: 'straight to a wallet of yours',
  safe_transfer: 'from your own wallet',
  venue: 'by the venue',
} as const;

function Deposits() {
  const list = usePages('GET /api/venue_a/bridge/deposits/', (query, options) =>
    call('GET /api/venue_a/bridge/deposits/', { query }, options),
  );
  return (
    <Card title="Deposits">
      <PagedTable
        of={list}
        empty={<Empty>Nothing has come yet. What you send shows here by itself.</Empty>}
        caption="Deposits"
        keyOf={({ depositId }) => depositId}
        below={progressBelow(depositProgress)}
        columns={[
          { head: 'Token', cell: (line) => depositedToken(line) },
          stateColumn(depositProgress),
          {
            head: 'Credited',
            isNumber: true,
            cell: ({ creditedUsdc }) =>
              creditedUsdc === null ? '–' : `$${tokenAmount(creditedUsdc)}`,
          },
          { head: 'Came', cell: ({ via }) => WAYS[via] },
          WHEN,
        ]}
      />
    </Card>
  );
}
