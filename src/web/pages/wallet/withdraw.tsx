import { amountFault } from '../../format/amount.ts';
import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { sendOnce } from '../../api/money-request.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { session } from '../../api/session.ts';
import { Refusal } from '../../app/refusal.tsx';
import { spendable, usd } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Money } from '../../ui/figures.tsx';
import { Field } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { Withdrawals } from './withdrawals.tsx';
import styles from './wallet.module.css';

type Withdrawal = Output<'POST /api/venue_a/safe/withdraw/'>;

const FORM = 'withdraw';

/** Money out of the Safe to one's own EVM wallet; no other address is taken. */
export function WithdrawPage() {
  const [amount, setAmount] = useState('');
  const [isAsking, setAsking] = useState(false);
  const { isBusy, problem, make } = useAttempt();
  const [made, setMade] = useState<Withdrawal | null>(null);
  const holding = useRead('GET /api/venue_a/holding/', { query: {} });
  const available = holding.data?.cash.available ?? null;
  const wrong = amountFault(amount, available);
  const wallet = session.state.kind === 'signed_in' ? session.state.user.wallets.evm : '';
  const send = async (): Promise<void> => {
    await make(async () => {
      const body = { amount: amount.trim() };
      setMade(
        await sendOnce(FORM, body, (idempotencyKey) =>
          call('POST /api/venue_a/safe/withdraw/', { body }, { idempotencyKey }),
        ),
      );
      setAmount('');
    });
    setAsking(false);
    void readAgain([
      'GET /api/venue_a/holding/',
      'GET /api/venue_a/safe/withdraw/',
      'GET /api/portfolio/',
    ]);
  };
  return (
    <Page title="Withdraw" sub="From your Safe to your own EVM wallet on Polygon, without gas.">
      <div className={styles['narrow']}>
        <Card isPadded>
          <form
            className={styles['form']}
            onSubmit={(event) => {
              event.preventDefault();
              setAsking(true);
            }}
          >
            <Field
              label={`Amount, of ${spendable(available)} available`}
              inputMode="decimal"
              required
              before="$"
              value={amount}
              fault={wrong}
              refused={problem?.faultOf('amount')}
              onChange={(event) => setAmount(event.target.value)}
            />
            <p className="muted">
              It arrives at <span className={styles['full']}>{wallet}</span>
            </p>
            <Button
              variant="primary"
              type="submit"
              isWide
              disabled={amount.trim() === '' || wrong !== null}
            >
              Withdraw
            </Button>
            <Refusal
              problem={problem}
              what="withdrawal"
              onSignedIn={() => void send()}
              fields={['amount']}
            />
            {made === null ? null : (
              <p role="status">
                <strong>
                  <Money amount={made.amount} /> as {made.token}
                </strong>{' '}
                {made.state === 'settled'
                  ? 'has arrived.'
                  : made.state === 'returned'
                    ? `is back in your Safe: ${made.reason ?? ''}`
                    : 'is set aside; the list below follows it.'}
              </p>
            )}
          </form>
        </Card>
      </div>
      <Withdrawals />
      {isAsking ? (
        <Confirm
          title={`Withdraw ${usd(amount)}?`}
          action={`Withdraw ${usd(amount)}`}
          isBusy={isBusy}
          onConfirm={() => void send()}
          onClose={() => setAsking(false)}
        >
          <p>
            It leaves your trading balance and arrives at your own EVM wallet, {wallet}. It cannot
            be taken back once it is on the chain. To send it on from there, that wallet needs MATIC
            on Polygon for gas.
          </p>
        </Confirm>
      ) : null}
    </Page>
  );
}
