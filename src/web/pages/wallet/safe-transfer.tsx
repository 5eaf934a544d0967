import { amountFault } from '../../format/amount.ts';
import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { sendOnce } from '../../api/money-request.ts';
import { usePages } from '../../api/paged.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { Refusal } from '../../app/refusal.tsx';
import { tokenAmount, usd } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/state.tsx';
import { holdingsOf } from './holdings.ts';
import { transferProgress } from './progress.ts';
import { progressBelow } from './record-columns.tsx';
import { TRANSFER_COLUMNS } from './transfer-columns.tsx';
import styles from './wallet.module.css';

type Transfer = Output<'POST /api/web3/safe-transfer'>;

/** Dollars that the Safe takes. */
const DOLLARS = ['USDC', 'USDC.e', 'pUSD'] as const;

/** Moves dollars of one's EVM wallet on Polygon into one's Safe, where they pay for venue a. */
export function SafeTransferForm() {
  const wallets = useRead('GET /api/web3/view', {});
  const [token, setToken] = useState<string>(DOLLARS[0]);
  const [amount, setAmount] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<Transfer | null>(null);
  const { isBusy, problem, make } = useAttempt();
  const held = wallets.data === undefined ? null : holdingsOf(wallets.data);
  const balanceOf = (dollar: string): string | null =>
    held === null
      ? null
      : (held.find(({ chain, shown }) => chain === 'POLYGON' && shown === dollar)?.balance ?? '0');
  const move = async (): Promise<void> => {
    await make(async () => {
      const body = { token, amount: amount.trim() };
      setMade(
        await sendOnce('safe transfer', body, (idempotencyKey) =>
          call('POST /api/web3/safe-transfer', { body }, { idempotencyKey }),
        ),
      );
      setAmount('');
    });
    setAsking(false);
    void readAgain(['GET /api/web3/safe-transfer', 'GET /api/web3/view', 'GET /api/portfolio/']);
  };
  return (
    <Card isPadded>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          setMade(null);
          setAsking(true);
        }}
      >
        <div className={styles['line']}>
          <Select
            label="Which dollar, on Polygon"
            value={token}
            refused={problem?.faultOf('token')}
            onChange={(event) => setToken(event.target.value)}
          >
            {DOLLARS.map((dollar) => (
              <option key={dollar} value={dollar}>
                {dollar}: {tokenAmount(balanceOf(dollar))}
              </option>
            ))}
          </Select>
          <Field
            label="Amount"
            required
            inputMode="decimal"
            before="$"
            value={amount}
            fault={amountFault(amount)}
            refused={problem?.faultOf('amount')}
            onChange={(event) => setAmount(event.target.value)}
          />
        </div>
        <Button
          variant="primary"
          type="submit"
          isWide
          disabled={amount.trim() === '' || amountFault(amount) !== null}
        >
          Move into my Safe
        </Button>
        <Refusal
          problem={problem}
          what="transfer"
          onSignedIn={() => void move()}
          fields={['token', 'amount']}
        />
        {made === null ? null : (
          <p role="status">
            {usd(made.amount)}{' '}
            {made.state === 'settled'
              ? 'is in your Safe and in your balance.'
              : 'was sent; the list below follows it.'}
          </p>
        )}
      </form>
      {isAsking ? (
        <Confirm
          title={`Move ${usd(amount)} into your Safe?`}
          action={`Move ${usd(amount)}`}
          isBusy={isBusy}
          onConfirm={() => void move()}
          onClose={() => setAsking(false)}
        >
          <p>
            {usd(amount)} as {token} leaves your EVM wallet on Polygon, without gas. In your Safe it
            becomes the dollar that pays for venue a, and agents may spend it.
          </p>
        </Confirm>
      ) : null}
    </Card>
  );
}

/** What was moved into the Safe, newest first. */
export function SafeTransfers() {
  const list = usePages('GET /api/web3/safe-transfer', (query, options) =>
    call('GET /api/web3/safe-transfer', { query }, options),
  );
  return (
    <Card title="Moved into the Safe">
      <PagedTable
        of={list}
        caption="Moved into the Safe"
        empty={<Empty>You have moved nothing into your Safe yet.</Empty>}
        keyOf={({ transferId }) => transferId}
        below={progressBelow(transferProgress)}
        columns={[
          { head: 'What', cell: ({ amount, token }) => `${usd(amount)} as ${token}` },
          ...TRANSFER_COLUMNS,
        ]}
      />
    </Card>
  );
}
