import { amountFault } from '../../format/amount.ts';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { sendOnce } from '../../api/money-request.ts';
import { usePages } from '../../api/paged.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { Refusal } from '../../app/refusal.tsx';
import { tokenAmount, usd } from '../../format/money.ts';
import { countdown } from '../../format/time.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Gas } from '../../ui/gas.tsx';
import { Page } from '../../ui/layout.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/state.tsx';
import { firstSwap, soldOn, type SwapForm } from './first-swap.ts';
import { CHAINS, type Chain, chainName, type Holding, holdingsOf } from './holdings.ts';
import { swapNote, swapProgress } from './progress.ts';
import { progressBelow, stateColumn, WHEN } from './record-columns.tsx';
import { mostOfCoin } from './sell-all.ts';
import styles from './wallet.module.css';

type Quote = Output<'POST /api/web3/exchange/get-quote/'>;

/**
 * One form for swaps and bridges: a quote with its worst amount and its end, then the execution,
 * then the list.
 */
export function SwapPage() {
  const [parameters] = useSearchParams();
  const wallets = useRead('GET /api/web3/view', {});
  const holdings = wallets.data === undefined ? [] : holdingsOf(wallets.data);
  const asked = { toChain: parameters.get('toChain'), buy: parameters.get('buy') };
  // what is held may change while nothing was typed yet, and not below what was
  const [typed, setTyped] = useState<SwapForm | null>(null);
  const form = typed ?? firstSwap(holdings, asked);
  const [quote, setQuote] = useState<Quote | null>(null);
  const { isBusy, problem, make } = useAttempt();
  const [note, setNote] = useState<string | null>(null);
  const held = holdings.find(
    ({ chain, token, shown }) =>
      chain === form.fromChain && (token === form.sell.trim() || shown === form.sell.trim()),
  );
  // what could not be read may be there
  const isRead = wallets.data !== undefined && form.sell.trim() !== '';
  const wrong = amountFault(
    form.amount,
    held?.balance ?? (isRead && wallets.data?.errors.length === 0 ? '0' : null),
  );
  const change = (part: Partial<typeof form>): void => {
    setTyped({ ...form, ...part });
    setQuote(null);
  };
  const quoteFor = (amount: string) =>
    call('POST /api/web3/exchange/get-quote/', {
      body: {
        fromChain: form.fromChain,
        toChain: form.toChain,
        sellTokenTicker: form.sell.trim(),
        buyTokenTicker: form.buy.trim(),
        amount,
      },
    });
  const ask = () =>
    make(async () => {
      setNote(null);
      setQuote(await quoteFor(form.amount.trim()));
    });
  const takeAll = (of: Holding) =>
    make(async () => {
      setNote(null);
      // what gas a sale takes, a quote alone knows
      const gas = of.isCoin === true ? (await quoteFor(of.balance)).gas : null;
      const most = of.isCoin === true ? gas && mostOfCoin(of, gas.maximum) : of.balance;
      if (most !== null) {
        setQuote(null);
        // what was edited meanwhile stays
        setTyped((now) => (now === typed ? { ...form, amount: most } : now));
        return;
      }
      setNote(
        gas === null
          ? `What gas takes is not known now: leave some ${of.shown} for it.`
          : `All your ${of.shown} on ${chainName(of.chain)} is needed for gas.`,
      );
    });
  const execute = (of: Quote) =>
    make(async () => {
      setNote(null);
      const body = { quoteId: of.quoteId };
      const swap = await sendOnce('swap', body, (idempotencyKey) =>
        call('POST /api/web3/exchange/execute/', { body }, { idempotencyKey }),
      );
      setNote(swapNote(swap));
      setQuote(null);
      await readAgain(['GET /api/web3/exchange/', 'GET /api/web3/view']);
    });
  return (
    <Page title="Swap and bridge" sub="Between your own wallets alone, on six chains.">
      <div className={styles['narrow']}>
        <Card isPadded>
          {wallets.data === undefined || holdings.length > 0 ? null : (
            <HoldsNothing isPartial={wallets.data.errors.length > 0} />
          )}
          <div className={styles['form']}>
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
                  onChange={(fromChain) =>
                    change({ fromChain, sell: soldOn(holdings, fromChain, form.sell) })
                  }
                />
                <Field
                  label="You sell"
                  required
                  list="held"
                  value={form.sell}
                  hint={
                    wallets.isPending
                      ? 'Your wallets are being read.'
                      : wallets.data === undefined || form.sell.trim() === ''
                        ? undefined
                        : `You hold ${tokenAmount(held?.balance ?? '0')} ${held?.shown ?? form.sell.trim()} on ${chainName(form.fromChain)}.`
                  }
                  refused={problem?.faultOf('sellTokenTicker')}
                  onChange={(event) => change({ sell: event.target.value })}
                />
                <div className={styles['form']}>
                  <Field
                    label="Amount"
                    required
                    inputMode="decimal"
                    value={form.amount}
                    fault={wrong}
                    refused={problem?.faultOf('amount')}
                    onChange={(event) => change({ amount: event.target.value })}
                  />
                  <Button
                    isSmall
                    isBusy={isBusy && quote === null}
                    disabled={held === undefined || form.buy.trim() === ''}
                    onClick={() => {
                      if (held !== undefined) void takeAll(held);
                    }}
                  >
                    {held?.isCoin === true ? 'All but gas' : 'All'}
                  </Button>
                </div>
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
                  list="bought"
                  value={form.buy}
                  hint="A ticker of our list, the chain’s coin, or an address."
                  refused={problem?.faultOf('buyTokenTicker')}
                  onChange={(event) => change({ buy: event.target.value })}
                />
              </div>
              <HeldTokens id="held" chain={form.fromChain} holdings={holdings} />
              <HeldTokens id="bought" chain={form.toChain} holdings={holdings} />
              <Button
                isWide
                type="submit"
                disabled={wrong !== null}
                isBusy={isBusy && quote === null}
              >
                {quote === null ? 'Get a quote' : 'Get another quote'}
              </Button>
            </form>
            {quote === null ? null : (
              <QuoteView quote={quote} isBusy={isBusy} onExecute={() => void execute(quote)} />
            )}
            <Refusal
              problem={problem}
              what="swap"
              fields={['sellTokenTicker', 'amount', 'buyTokenTicker']}
            />
            {note === null ? null : <p role="status">{note}</p>}
          </div>
        </Card>
      </div>
      <Swaps />
    </Page>
  );
}

/** Says that there is nothing to sell, and how something comes into one's own wallets. */
function HoldsNothing({ isPartial }: { readonly isPartial: boolean }) {
  return (
    <p className="muted" role="status">
      {isPartial
        ? 'Your own wallets could not all be read, and nothing was found in the others.'
        : 'Your own wallets hold nothing to swap yet.'}{' '}
      Send something to their <WalletLink to={PAGES.wallet}>addresses</WalletLink>, or{' '}
      <WalletLink to={PAGES.withdraw}>withdraw</WalletLink> dollars from your balance to them.
    </p>
  );
}

function WalletLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <Link href={to} className="link">
      {children}
    </Link>
  );
}

/** What the wallets hold on a chain, to choose from while typing. */
function HeldTokens({
  id,
  chain,
  holdings,
}: {
  readonly id: string;
  readonly chain: Chain;
  readonly holdings: readonly Holding[];
}) {
  return (
    <datalist id={id}>
      {holdings
        .filter((holding) => holding.chain === chain)
        .map(({ token, shown, balance }) => (
          <option key={token} value={token}>
            {shown}: {tokenAmount(balance)}
          </option>
        ))}
    </datalist>
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
          {chainName(chain)}
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
          ['Route', quote.route],
        ]}
      />
      <Button
        variant="primary"
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
  const list = usePages('GET /api/web3/exchange/', (query, options) =>
    call('GET /api/web3/exchange/', { query }, options),
  );
  return (
    <Card title="Swaps and bridges">
      <PagedTable
        of={list}
        caption="Swaps and bridges"
        empty={<Empty>You have swapped nothing yet.</Empty>}
        keyOf={({ swapId }) => swapId}
        below={progressBelow(swapProgress)}
        columns={[
          {
            head: 'Swap',
            cell: ({ sell, buy, amount, gas }) => (
              <>
                {tokenAmount(amount)} <bdi>{sell.symbol}</bdi> to <bdi>{buy.symbol}</bdi>
                <div className="faint">
                  {chainName(sell.chain)}
                  {sell.chain === buy.chain ? '' : ` to ${chainName(buy.chain)}`}
                </div>
                <Gas of={gas} />
              </>
            ),
          },
          stateColumn(swapProgress),
          {
            head: 'Received',
            isNumber: true,
            cell: ({ received, receivedSide }) =>
              received === null || receivedSide === null ? (
                '–'
              ) : (
                <>
                  {tokenAmount(received)} <bdi>{receivedSide.symbol}</bdi>
                </>
              ),
          },
          WHEN,
        ]}
      />
    </Card>
  );
}
