import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/client.ts';
import { usePages } from '../../api/paged.ts';
import type { Input, Output } from '../../api/routes.ts';
import { tokenPrice, usd } from '../../format/money.ts';
import { shortHash } from '../../format/text.ts';
import { tokenPath } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Field, Segment, Select } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/state.tsx';
import { CHAINS, type Chain, chainName } from './holdings.ts';
import { Change } from './token-change.tsx';
import { Warnings } from './token-warnings.tsx';
import styles from './wallet.module.css';

type Token = Output<'GET /api/web3/search/'>['data'][number];
type Ranking = 'trending' | 'top-gainers' | 'top-volume';
type Query = NonNullable<Input<'GET /api/web3/trending/'>['query']>;

const NAMES = {
  trending: 'GET /api/web3/trending/',
  'top-gainers': 'GET /api/web3/top-gainers/',
  'top-volume': 'GET /api/web3/top-volume/',
} as const;
/** Shorter texts find everything. */
const SEARCHED_FROM_CHARS = 2;

/** Tokens of all chains: lists of what is traded now, and a search by name or address. */
export function TokensPage() {
  const [text, setText] = useState('');
  const [ranking, setRanking] = useState<Ranking>('trending');
  const [chain, setChain] = useState<Chain | null>(null);
  const search = text.trim();
  const isSearch = search.length >= SEARCHED_FROM_CHARS;
  return (
    <Page
      title="Tokens"
      sub="Names and tickers are the tokens’ own words: go by the address and by what is marked."
    >
      <div className={styles['line']}>
        <Field
          label="Search by name, ticker or address"
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Select
          label="Chain"
          value={chain ?? ''}
          onChange={(event) => setChain(CHAINS.find((each) => each === event.target.value) ?? null)}
        >
          <option value="">All chains</option>
          {CHAINS.map((each) => (
            <option key={each} value={each}>
              {chainName(each)}
            </option>
          ))}
        </Select>
      </div>
      {isSearch ? (
        <Found key={search} text={search} chain={chain} />
      ) : (
        <>
          <div>
            <Segment<Ranking>
              label="Which list"
              value={ranking}
              choices={[
                ['trending', 'Trending'],
                ['top-gainers', 'Gainers'],
                ['top-volume', 'Volume'],
              ]}
              onChange={setRanking}
            />
          </div>
          <Ranked ranking={ranking} chain={chain} />
        </>
      )}
    </Page>
  );
}

function Ranked({ ranking, chain }: { readonly ranking: Ranking; readonly chain: Chain | null }) {
  const name = NAMES[ranking];
  const list = usePages(
    name,
    (page, options) => {
      const query: Query = chain === null ? page : { ...page, chain };
      return call(name, { query }, options);
    },
    { about: [chain ?? ''] },
  );
  const missing = (list.newest?.chains ?? []).filter(({ readAtMs }) => readAtMs === null);
  return (
    <Card title="Of the last 24 hours">
      {missing.length === 0 ? null : (
        <p className="warn" style={{ padding: '10px 16px' }}>
          Not read in time: {missing.map((each) => chainName(each.chain)).join(', ')}.
        </p>
      )}
      <PagedTable
        of={list}
        caption="Tokens"
        more="Show more"
        columns={COLUMNS}
        keyOf={keyOf}
        empty={<Empty>Nothing is listed here now.</Empty>}
      />
    </Card>
  );
}

function Found({ text, chain }: { readonly text: string; readonly chain: Chain | null }) {
  const list = usePages(
    'GET /api/web3/search/',
    (page, options) =>
      call(
        'GET /api/web3/search/',
        { query: { ...page, query: text, ...(chain === null ? {} : { chain }) } },
        options,
      ),
    { about: [text, chain ?? ''] },
  );
  return (
    <Card title="Found">
      <PagedTable
        of={list}
        caption="Tokens found"
        more="Show more"
        columns={COLUMNS}
        keyOf={keyOf}
        empty={<Empty>No token of that name or address is known.</Empty>}
      />
    </Card>
  );
}

function keyOf({ chain, address }: Token): string {
  return `${chain} ${address}`;
}

const COLUMNS = [
  {
    head: 'Token',
    cell: ({ chain, address, symbol, name, known, warnings }: Token) => (
      <Link href={tokenPath(chain, address)}>
        <bdi>{symbol}</bdi> <bdi className="muted">{name}</bdi>
        <div className="faint">
          {chainName(chain)} · <span className="mono">{shortHash(address)}</span>
          {known ? ' · in our list' : ''}
        </div>
        <Warnings of={warnings} />
      </Link>
    ),
  },
  { head: 'Price', isNumber: true, cell: ({ priceUsd }: Token) => tokenPrice(priceUsd) },
  {
    head: 'In 24 h',
    isNumber: true,
    cell: ({ change24hPercent }: Token) => <Change percent={change24hPercent} />,
  },
  { head: 'Traded in 24 h', isNumber: true, cell: ({ volume24hUsd }: Token) => usd(volume24hUsd) },
  { head: 'In its pool', isNumber: true, cell: ({ liquidityUsd }: Token) => usd(liquidityUsd) },
];
