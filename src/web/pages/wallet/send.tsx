import { amountFault } from '../../format/amount.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { useCodeAttempt } from '../../api/code-attempt.ts';
import { sendOnce } from '../../api/money-request.ts';
import { usePages } from '../../api/paged.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Input, Output } from '../../api/routes.ts';
import { Refusal } from '../../app/refusal.tsx';
import { tokenAmount } from '../../format/money.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { CodeField, whyNoCode } from '../../ui/code-field.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Gas } from '../../ui/gas.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { chainName, type Holding, holdingsOf } from './holdings.ts';
import { transferProgress } from './progress.ts';
import { progressBelow } from './record-columns.tsx';
import { TRANSFER_COLUMNS } from './transfer-columns.tsx';
import styles from './wallet.module.css';

type Body = Input<'POST /api/web3/transfer/'>['body'];
type Sent = Output<'POST /api/web3/transfer/'>;

interface Asked {
  readonly body: Body;
  readonly shown: string;
  readonly challengeId: string;
}

/** Sends a coin or token of one's own wallet to any address, against a code for this alone. */
export function SendForm() {
  const wallets = useRead('GET /api/web3/view', {});
  return (
    <Card isPadded>
      <Read
        of={wallets}
        lines={4}
        isEmpty={(answer) => holdingsOf(answer).length === 0}
        empty={
          <Empty
            next={
              <Link href={PAGES.deposit} className="link">
                Deposit
              </Link>
            }
          >
            Your EVM and Solana wallets hold nothing that could be sent. What is in your Safe is
            withdrawn to your EVM wallet first.
          </Empty>
        }
      >
        {(answer) => <Form holdings={holdingsOf(answer)} />}
      </Read>
    </Card>
  );
}

function Form({ holdings }: { readonly holdings: readonly Holding[] }) {
  const [chosen, setChosen] = useState('');
  const [amount, setAmount] = useState('');
  const [to, setTo] = useState('');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  const { isBusy, problem, make } = useAttempt();
  const keyOf = ({ chain, token }: Holding): string => `${chain} ${token}`;
  const holding = holdings.find((each) => keyOf(each) === chosen) ?? holdings[0];
  if (holding === undefined) return null;
  const wrong = amountFault(amount, holding.balance);
  const ask = () =>
    make(async () => {
      setSent(null);
      const { chain, token, shown } = holding;
      const body = { chain, token, amount: amount.trim(), to: to.trim() };
      const { challengeId } = await call('POST /api/web3/transfer/code', { body });
      setAsked({ body, shown, challengeId });
    });
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <Select
        label="What"
        value={keyOf(holding)}
        refused={problem?.faultOf('token')}
        onChange={(event) => setChosen(event.target.value)}
      >
        {holdings.map((each) => (
          <option key={keyOf(each)} value={keyOf(each)}>
            {each.shown} on {chainName(each.chain)}: {tokenAmount(each.balance)}
          </option>
        ))}
      </Select>
      <Field
        label="Amount"
        required
        inputMode="decimal"
        value={amount}
        after={<bdi>{holding.shown}</bdi>}
        fault={wrong}
        refused={problem?.faultOf('amount')}
        onChange={(event) => setAmount(event.target.value)}
      />
      <Field
        label={`Address on ${chainName(holding.chain)}`}
        required
        value={to}
        refused={problem?.faultOf('to')}
        hint="What has left cannot be called back: compare the address with its owner."
        onChange={(event) => setTo(event.target.value)}
      />
      <Button
        variant="primary"
        type="submit"
        isWide
        disabled={wrong !== null}
        isBusy={isBusy && asked === null}
      >
        Send me a code for this transfer
      </Button>
      {asked === null ? (
        <Refusal
          problem={problem}
          what="transfer"
          onSignedIn={() => void ask()}
          fields={['token', 'amount', 'to']}
        />
      ) : null}
      {sent === null ? null : (
        <p role="status">
          {tokenAmount(sent.amount)} <bdi>{sent.token}</bdi>{' '}
          {sent.state === 'settled' ? 'has arrived.' : 'was sent; the list below follows it.'}
        </p>
      )}
      {asked === null ? null : (
        <AskSend
          asked={asked}
          onClose={() => setAsked(null)}
          onSent={(transfer) => {
            setAsked(null);
            setSent(transfer);
            setAmount('');
          }}
        />
      )}
    </form>
  );
}

function AskSend({
  asked: { body, shown, challengeId },
  onClose,
  onSent,
}: {
  readonly asked: Asked;
  onClose(): void;
  onSent(transfer: Sent): void;
}) {
  const [code, setCode] = useState('');
  const { isBusy, problem, makeWith } = useCodeAttempt();
  const send = () =>
    makeWith(challengeId, code, async () => {
      const transfer = await sendOnce('transfer', body, (idempotencyKey) =>
        call(
          'POST /api/web3/transfer/',
          { body },
          {
            idempotencyKey,
            headers: { 'X-Challenge-Id': challengeId, 'X-One-Time-Code': code },
          },
        ),
      );
      onSent(transfer);
      await readAgain(['GET /api/web3/transfer/', 'GET /api/web3/view', 'GET /api/portfolio/']);
    });
  const what = `${tokenAmount(body.amount === undefined ? null : String(body.amount))} ${shown}`;
  return (
    <Confirm
      title={`Send ${what}?`}
      action={`Send ${what}`}
      isBusy={isBusy}
      blocked={whyNoCode(code)}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      <Facts
        rows={[
          ['Amount', what],
          ['On', chainName(body.chain)],
        ]}
      />
      <p className="muted">To</p>
      <p className={styles['full']}>{body.to}</p>
      <p>
        It leaves your own wallet for this address and cannot be called back. The code is good for
        this transfer alone; the network takes its fee beside it.
      </p>
      <CodeField value={code} onChange={setCode} />
      <Refusal problem={problem} what="transfer" />
    </Confirm>
  );
}

/** What was sent to others, newest first. */
export function SentList() {
  const list = usePages('GET /api/web3/transfer/', (query, options) =>
    call('GET /api/web3/transfer/', { query }, options),
  );
  return (
    <Card title="Sent to others">
      <PagedTable
        of={list}
        caption="Sent to others"
        empty={<Empty>You have sent nothing to others yet.</Empty>}
        keyOf={({ transferId }) => transferId}
        below={progressBelow(transferProgress)}
        columns={[
          {
            head: 'What',
            cell: ({ amount, token, chain, gas }) => (
              <>
                {tokenAmount(amount)} <bdi>{token}</bdi>
                <div className="faint">{chainName(chain)}</div>
                <Gas of={gas} />
              </>
            ),
          },
          ...TRANSFER_COLUMNS,
        ]}
      />
    </Card>
  );
}
