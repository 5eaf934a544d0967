import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { useCodeAttempt } from '../../api/code-attempt.ts';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeField } from '../../ui/code-field.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Segment } from '../../ui/form.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import { Term } from '../../ui/term.tsx';
import styles from '../wallet/wallet.module.css';
import { PhoneNeeded } from './add-phone.tsx';

type Exported = Output<'GET /api/web3/export-private-key'>;
/** An exported key is on the screen so long at most. */
const SHOWN_MS = 60_000;

/** A wallet's private key, against a code on the phone: shown once, and gone after a minute. */
export function ExportKey() {
  const profile = useRead('GET /api/user/profile', {});
  const [wallet, setWallet] = useState<'evm' | 'solana'>('evm');
  const [challengeId, setChallengeId] = useState<string | null>(null);
  const [code, setCode] = useState('');
  const [exported, setExported] = useState<Exported | null>(null);
  const { isBusy, problem, make, makeWith } = useCodeAttempt();
  useEffect(() => {
    if (exported === null) return undefined;
    const timer = setTimeout(() => setExported(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [exported]);
  const isWithoutPhone = profile.data?.phone === null;
  const request = () =>
    make(async () => {
      const answer = await call('POST /api/web3/export-private-key/code', {});
      setChallengeId(answer.challengeId);
    });
  const show = (id: string) =>
    makeWith(id, code, async () => {
      setExported(
        await call(
          'GET /api/web3/export-private-key',
          { query: { wallet } },
          { headers: { 'X-Challenge-Id': id, 'X-One-Time-Code': code } },
        ),
      );
      setChallengeId(null);
      setCode('');
    });
  return (
    <Card title="Export a private key" isPadded>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (challengeId === null) void request();
          else void show(challengeId);
        }}
      >
        <p className="muted">
          Whoever has the key has the funds. A code is sent to your phone first, and the key is
          shown for a minute.
        </p>
        {wallet === 'evm' ? <SafeNote /> : null}
        <Segment<'evm' | 'solana'>
          label="Which wallet"
          value={wallet}
          choices={[
            ['evm', 'EVM'],
            ['solana', 'Solana'],
          ]}
          onChange={setWallet}
        />
        {challengeId === null ? null : <CodeField value={code} onChange={setCode} />}
        {isWithoutPhone ? null : (
          <Button
            type="submit"
            isBusy={isBusy}
            variant={challengeId === null ? 'primary' : 'danger'}
          >
            {challengeId === null ? 'Send me a code' : 'Show the key'}
          </Button>
        )}
        {problem === null ? null : <ProblemNote problem={problem} />}
      </form>
      {/* beside the form and not in it: adding a phone is a form too */}
      {isWithoutPhone ? <PhoneNeeded /> : null}
      {exported === null ? null : (
        <Dialog
          title="Your private key"
          onClose={() => setExported(null)}
          actions={
            <Button variant="primary" onClick={() => setExported(null)}>
              Close
            </Button>
          }
        >
          <p className="muted">Of {exported.address}</p>
          <p className={styles['full']}>{exported.privateKey}</p>
          <Copy text={exported.privateKey} what="key" />
        </Dialog>
      )}
    </Card>
  );
}

/** The key's address is not where the money of a Safe is seen, and there is no key of the Safe. */
function SafeNote() {
  const profile = useRead('GET /api/user/profile', {});
  const safe = profile.data?.wallets.safe ?? null;
  return (
    <p className="muted" style={{ overflowWrap: 'anywhere' }}>
      The same key moves your <Term of="safe">Safe</Term> on Polygon, where the money and shares of
      venue a are: it is a contract of its own address
      {safe === null ? (
        ''
      ) : (
        <>
          {' '}
          (<span className="mono">{safe}</span>)
        </>
      )}
      , owned by this key’s, and has no key of its own. A wallet program shows it only once you add
      that address as a Safe.
    </p>
  );
}
