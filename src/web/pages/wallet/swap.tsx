import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { sendOnce } from '../../api/money-request.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Input, Output } from '../../api/routes.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { tokenAmount, usd } from '../../format/money.ts';
import { words } from '../../format/text.ts';
import { countdown } from '../../format/time.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { Empty, ProblemNote, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import styles from './wallet.module.css';

type Quote = Output<'POST /api/web3/exchange/get-quote/'>;
type Chain = Input<'POST /api/web3/exchange/get-quote/'>['body']['fromChain'];

const CHAINS: readonly Chain[] = ['POLYGON', 'ETHEREUM', 'BASE', 'ARBITRUM', 'BSC', 'SOLANA'];

/**
 * One form for swaps and bridges: a quote with its worst amount and its end, then the execution,
 * then the list.
 */
export function SwapPage() {
  const [form, setForm] = useState({
    fromChain: 'POLYGON' as Chain,
    toChain: 'BASE' as Chain,
    sell: 'USDC',
    buy: 'ETH',
    amount: '',
  });
  const [quote, setQuote] = useState<Quote | null>(null);
  const { isBusy, problem, make } = useAttempt();
  const [note, setNote] = useState<string | null>(null);
  const change = (part: Partial<typeof form>): void => {
    setForm({ ...form, ...part });
    setQuote(null);
  };
  const ask = () =>
    make(async () => {
      setNote(null);
      setQuote(
        await call('POST /api/web3/exchange/get-quote/', {
          body: {
            fromChain: form.fromChain,
            toChain: form.toChain,
            sellTokenTicker: form.sell.trim(),
            buyTokenTicker: form.buy.trim(),
            amount: form.amount.trim(),
          },
        }),
      );
    });
  const execute = (of: Quote) =>
    make(async () => {
      setNote(null);
      const body = { quoteId: of.quoteId };
      const swap = await sendOnce('swap', body, (idempotencyKey) =>
        call('POST /api/web3/exchange/execute/', { body }, { idempotencyKey }),
      );
      setNote(
        swap.state === 'completed'
          ? 'Completed: both sides are proven.'
          : `${words(swap.state)}; it is followed until both sides are proven.`,
      );
      setQuote(null);
      await readAgain(['GET /api/web3/exchange/', 'GET /api/web3/view']);
    });
  return (
    <Page title="Swap and bridge" sub="Between your own wallets alone, on six chains.">
      <div className={styles['narrow']}>
        <Card isPadded>
          <form
            className={styles['form']}
            onSubmit={(event) => {
              event.preventDefault();
              void ask();
            }}
          >
            <div className={styles['line']}>
              <ChainField
                label="From"
                value={form.fromChain}
                onChange={(fromChain) => change({ fromChain })}
              />
              <Field
                label="You sell"
                required
                value={form.sell}
                fault={problem?.faultOf('sellTokenTicker') ?? null}
                onChange={(event) => change({ sell: event.target.value })}
              />
              <Field
                label="Amount"
                required
                inputMode="decimal"
                value={form.amount}
                fault={problem?.faultOf('amount') ?? null}
                onChange={(event) => change({ amount: event.target.value })}
              />
            </div>
            <div className={styles['line']}>
              <ChainField
                label="To"
                value={form.toChain}
                onChange={(toChain) => change({ toChain })}
              />
              <Field
                label="You buy"
                required
                value={form.buy}
                fault={problem?.faultOf('buyTokenTicker') ?? null}
                onChange={(event) => change({ buy: event.target.value })}
              />
            </div>
            <Button isWide type="submit" isBusy={isBusy && quote === null}>
              {quote === null ? 'Get a quote' : 'Get another quote'}
            </Button>
          </form>
          {quote === null ? null : (
            <QuoteView quote={quote} isBusy={isBusy} onExecute={() => void execute(quote)} />
          )}
          {problem === null ? null : problem.isOutcomeUnknown ? (
            <p className="warn" role="alert">
              No answer came. Press again to ask: it stays the same swap.
            </p>
          ) : (
            <ProblemNote problem={problem} />
          )}
          {note === null ? null : <p role="status">{note}</p>}
        </Card>
      </div>
      <Swaps />
    </Page>
  );
}

function ChainField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Chain;
  onChange(chain: Chain): void;
}) {
  return (
    <Select
      label={label}
      value={value}
      onChange={(event) => onChange(CHAINS.find((chain) => chain === event.target.value) ?? value)}
    >
      {CHAINS.map((chain) => (
        <option key={chain} value={chain}>
          {chain.charAt(0) + chain.slice(1).toLowerCase()}
        </option>
      ))}
    </Select>
  );
}

function QuoteView({
  quote,
  isBusy,
  onExecute,
}: {
  readonly quote: Quote;
  readonly isBusy: boolean;
  onExecute(): void;
}) {
  const nowMs = useDaemonNow();
  const leftMs = quote.expiresAtMs - nowMs;
  return (
    <>
      <Facts
        rows={[
          ['You get, expected', `${tokenAmount(quote.expectedOut)} ${quote.buy.symbol}`],
          ['At least', `${tokenAmount(quote.minimumOut)} ${quote.buy.symbol}`],
          ['Worst loss, at our prices', usd(quote.worstLossUsd)],
          [
            'Network takes, about',
            quote.gas === null ? '–' : `${tokenAmount(quote.gas.amount)} ${quote.gas.symbol}`,
          ],
          ['Takes', `${quote.seconds} s`],
          ['Way', quote.route],
        ]}
      />
      <Button
        look="primary"
        isWide
        isBusy={isBusy}
        blocked={leftMs <= 0 ? 'This quote is over. Get another one.' : null}
        onClick={onExecute}
      >
        Swap {tokenAmount(quote.amount)} {quote.sell.symbol} · {countdown(leftMs)}
      </Button>
    </>
  );
}

function Swaps() {
  const list = useRead('GET /api/web3/exchange/', { query: {} }, { everyMs: 5_000 });
  return (
    <Card title="Swaps and bridges">
      <Read
        of={list}
        isEmpty={({ data }) => data.length === 0}
        empty={<Empty>You have swapped nothing yet.</Empty>}
      >
        {({ data }) => (
          <Table
            caption="Swaps and bridges"
            rows={data}
            keyOf={({ swapId }) => swapId}
            columns={[
              {
                head: 'Swap',
                cell: ({ sell, buy, amount }) =>
                  `${tokenAmount(amount)} ${sell.symbol} (${sell.chain.toLowerCase()}) to ${buy.symbol} (${buy.chain.toLowerCase()})`,
              },
              {
                head: 'State',
                cell: ({ state, reason }) =>
                  reason === null ? words(state) : `${words(state)}: ${reason}`,
              },
              {
                head: 'When',
                isNumber: true,
                cell: ({ createdAtMs }) => <Moment atMs={createdAtMs} />,
              },
            ]}
          />
        )}
      </Read>
    </Card>
  );
}
