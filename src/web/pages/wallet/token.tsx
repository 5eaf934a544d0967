import { Link } from 'wouter';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { tokenAmount, tokenPrice, usd } from '../../format/money.ts';
import { shortHash } from '../../format/text.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Page, Split, Stat, Stats } from '../../ui/layout.tsx';
import { Empty, ProblemNote, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { CHAINS, type Chain, chainName } from './holdings.ts';
import { TokenChart } from './token-chart.tsx';
import { Warnings } from './token-warnings.tsx';
import { Change } from './token-change.tsx';
import styles from './wallet.module.css';

type Info = Output<'GET /api/web3/token/dexdata/'>;

/** One token of a chain: its price and pools, what speaks against it, and what one holds of it. */
export function TokenPage({ chain, token }: { readonly chain: string; readonly token: string }) {
  const known = CHAINS.find((each) => each === chain);
  if (known === undefined) return <Empty>There is no chain of that name here.</Empty>;
  return <Known key={`${known} ${token}`} chain={known} token={token} />;
}

function Known({ chain, token }: { readonly chain: Chain; readonly token: string }) {
  const info = useRead('GET /api/web3/token/dexdata/', { query: { chain, token } });
  return (
    <Page
      title={<bdi>{info.data?.token.name ?? 'Token'}</bdi>}
      sub={
        <>
          <bdi>{info.data?.token.symbol ?? shortHash(token)}</bdi>
          <span>{chainName(chain)}</span>
          <Link href={PAGES.tokens} className="link">
            All tokens
          </Link>
        </>
      }
    >
      <Split
        main={
          <>
            <Card>
              <Read of={info} lines={4}>
                {(answer) => <Market info={answer} />}
              </Read>
            </Card>
            {info.data === undefined ? null : (
              <>
                <TokenChart chain={chain} info={info.data} />
                <Pools pools={info.data.pools} />
              </>
            )}
          </>
        }
        side={
          <>
            <Mine chain={chain} token={token} address={info.data?.token.address ?? null} />
            {info.data === undefined ? null : <About info={info.data} />}
          </>
        }
      />
    </Page>
  );
}

function Market({ info: { token, readAtMs } }: { readonly info: Info }) {
  return (
    <>
      <Stats>
        <Stat name="Price" isLarge>
          {tokenPrice(token.priceUsd)}
        </Stat>
        <Stat name="In 24 h">
          <Change percent={token.change24hPercent} />
        </Stat>
        <Stat name="Traded in 24 h">{usd(token.volume24hUsd)}</Stat>
        <Stat name="In its pool">{usd(token.liquidityUsd)}</Stat>
        <Stat name="Read">
          <Moment atMs={readAtMs} />
        </Stat>
      </Stats>
      {token.warnings.length === 0 ? null : (
        <div style={{ padding: '0 16px 14px' }}>
          <Warnings of={token.warnings} />
        </div>
      )}
    </>
  );
}

function Pools({ pools }: { readonly pools: Info['pools'] }) {
  return (
    <Card title="Pools">
      {pools.length === 0 ? (
        <Empty>No pool of it is known.</Empty>
      ) : (
        <Table
          caption="Pools"
          rows={pools}
          keyOf={({ pairAddress, symbol }) => pairAddress ?? symbol}
          columns={[
            {
              head: 'Pool',
              cell: ({ pairAddress }) => (
                <span className="mono" title={pairAddress ?? undefined}>
                  {pairAddress === null ? '–' : shortHash(pairAddress)}
                </span>
              ),
            },
            { head: 'Price', isNumber: true, cell: ({ priceUsd }) => tokenPrice(priceUsd) },
            {
              head: 'Traded in 24 h',
              isNumber: true,
              cell: ({ volume24hUsd }) => usd(volume24hUsd),
            },
            { head: 'In it', isNumber: true, cell: ({ liquidityUsd }) => usd(liquidityUsd) },
            {
              head: 'Since',
              isNumber: true,
              cell: ({ pairCreatedAtMs }) => <Moment atMs={pairCreatedAtMs} />,
            },
          ]}
        />
      )}
    </Card>
  );
}

/** What one's own wallet holds of it, and what can be done with that. */
function Mine({
  chain,
  token,
  address,
}: {
  readonly chain: Chain;
  readonly token: string;
  readonly address: string | null;
}) {
  const balance = useRead('GET /api/web3/token/balance/', { query: { chain, token } });
  const { isBusy, problem, make } = useAttempt();
  const add = (of: string) =>
    make(async () => {
      await call('POST /api/web3/view/tokens', { body: { chain, address: of } });
      await readAgain(['GET /api/web3/view']);
    });
  return (
    <Card title="In your wallet">
      <Read of={balance} lines={2}>
        {(held) => (
          <Facts
            rows={[
              ['You hold', tokenAmount(held.balance)],
              ['Worth', usd(held.valueUsd)],
              ['Read', <Moment key="read" atMs={held.readAtMs} />],
            ]}
          />
        )}
      </Read>
      <div className={styles['form']} style={{ padding: '0 16px 16px' }}>
        <Link
          href={`${PAGES.swap}?toChain=${chain}&buy=${encodeURIComponent(address ?? token)}`}
          className={styles['action']}
        >
          Buy by a swap
        </Link>
        {address === null ? null : (
          <Button isBusy={isBusy} onClick={() => void add(address)}>
            Show it among my tokens
          </Button>
        )}
        {problem === null ? null : <ProblemNote problem={problem} />}
      </div>
    </Card>
  );
}

function About({ info }: { readonly info: Info }) {
  const { token, holders, score, mintAuthority, freezeAuthority, description, websites } = info;
  return (
    <Card title="About it">
      <Facts
        rows={[
          [
            'Address',
            <span key="address" className={styles['address']}>
              <span className="mono" title={token.address}>
                {shortHash(token.address)}
              </span>
              <Copy text={token.address} what="address" />
            </span>,
          ],
          ['In our list', token.known ? 'yes, by its address' : 'no'],
          ['Worth of all of it', usd(token.marketCapUsd)],
          ['Holders', holders === null ? '–' : String(holders)],
          ['Opinion of the data provider', score === null ? '–' : `${tokenAmount(score)} %`],
          ['More can be made by', mintAuthority === null ? '–' : shortHash(mintAuthority)],
          ['Can be frozen by', freezeAuthority === null ? '–' : shortHash(freezeAuthority)],
        ]}
      />
      {info.partial ? (
        <p className="warn" style={{ padding: '0 16px 14px' }}>
          What lies beyond its market could not be read now.
        </p>
      ) : null}
      {description === null && websites.length === 0 ? null : (
        <div className="muted" style={{ padding: '0 16px 16px', overflowWrap: 'anywhere' }}>
          <p>In its own words, which prove nothing:</p>
          {description === null ? null : (
            <p>
              <bdi>{description}</bdi>
            </p>
          )}
          {websites.map((site) => (
            <p key={site}>
              <bdi>{site}</bdi>
            </p>
          ))}
        </div>
      )}
    </Card>
  );
}
