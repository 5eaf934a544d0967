import { useEffect, useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { useChange, useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { session } from '../../api/session.ts';
import { changePreferences, usePreferences, type Preferences } from '../../app/preferences.ts';
import { Link } from 'wouter';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Segment } from '../../ui/form.tsx';
import { Page, Split } from '../../ui/layout.tsx';
import { ProblemNote, Read } from '../../ui/state.tsx';
import styles from '../wallet/wallet.module.css';

/** Who one is, how much may go wrong, how it looks, and the keys of one's wallets. */
export function SettingsPage() {
  return (
    <Page
      title="Settings"
      sub={
        <Link href={PAGES.keys} className="link">
          API keys and assistants
        </Link>
      }
    >
      <Split
        main={
          <>
            <Limits />
            <ExportKey />
          </>
        }
        side={
          <>
            <ProfileCard />
            <Appearance />
          </>
        }
      />
    </Page>
  );
}

function ProfileCard() {
  const profile = useRead('GET /api/user/profile', {});
  return (
    <Card title="You">
      <Read of={profile}>
        {({ username, phone, identities, wallets, account }) => (
          <>
            <Facts
              rows={[
                ['Username', username ?? '–'],
                ['Phone', phone ?? '–'],
                ['Also by', identities.map(({ shown }) => shown).join(', ') || '–'],
                ['Account at venue a', account],
                ['EVM wallet', <Address key="evm" text={wallets.evm} />],
                ['Solana wallet', <Address key="solana" text={wallets.solana} />],
                ['Safe', <Address key="safe" text={wallets.safe} />],
              ]}
            />
            <div style={{ padding: '0 16px 16px' }}>
              <Button isWide onClick={() => void session.signOut()}>
                Sign out
              </Button>
            </div>
          </>
        )}
      </Read>
    </Card>
  );
}

function Address({ text }: { readonly text: string }) {
  return (
    <span className="mono" title={text}>
      {text.slice(0, 6)}…{text.slice(-4)} <Copy text={text} what="address" />
    </span>
  );
}

function Appearance() {
  const { theme, direction } = usePreferences();
  return (
    <Card title="Appearance" isPadded>
      <div className={styles['form']}>
        <Segment<Preferences['theme']>
          label="Theme"
          value={theme}
          choices={[
            ['system', 'System'],
            ['dark', 'Dark'],
            ['light', 'Light'],
          ]}
          onChange={(value) => changePreferences({ theme: value })}
        />
        <Segment<Preferences['direction']>
          label="Colours of up and down"
          value={direction}
          choices={[
            ['green', 'Green, red'],
            ['blue', 'Blue, orange'],
          ]}
          onChange={(value) => changePreferences({ direction: value })}
        />
      </div>
    </Card>
  );
}

const LIMITS = [
  ['maxOrderSize', 'One order', '$'],
  ['maxTotalExposure', 'All positions and open buys', '$'],
  ['maxOpenPositions', 'Open positions', ''],
  ['maxDailyLoss', 'Loss of a day', '$'],
] as const;

function Limits() {
  const limits = useRead('GET /api/user/limits', {});
  const save = useChange('PUT /api/user/limits', ['GET /api/user/limits']);
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  return (
    <Card title="How much may go wrong">
      <Read of={limits}>
        {({ user, operator }) => (
          <form
            className={styles['form']}
            style={{ padding: 16 }}
            onSubmit={(event) => {
              event.preventDefault();
              save.mutate({ body: bodyOf(changed) }, { onSuccess: () => setChanged({}) });
            }}
          >
            <p className="muted">
              Yours hold for trading by hand and by agents together. Empty: only the service’s own
              limit holds.
            </p>
            {LIMITS.map(([field, label, before]) => (
              <Field
                key={field}
                label={`${label}, at most`}
                inputMode="decimal"
                value={changed[field] ?? String(user[field] ?? '')}
                placeholder={String(operator[field] ?? '')}
                fault={save.error?.faultOf(field) ?? null}
                hint={
                  operator[field] === null ? undefined : `The service allows ${operator[field]}.`
                }
                {...(before === '' ? {} : { before })}
                onChange={(event) => setChanged({ ...changed, [field]: event.target.value })}
              />
            ))}
            {save.error === null ? null : <ProblemNote problem={save.error} />}
            <Button
              look="primary"
              type="submit"
              isBusy={save.isPending}
              disabled={Object.keys(changed).length === 0}
            >
              Save
            </Button>
          </form>
        )}
      </Read>
    </Card>
  );
}

function bodyOf(changed: Readonly<Record<string, string>>) {
  const text = (field: string) => {
    const value = changed[field];
    return value === undefined ? {} : { [field]: value.trim() === '' ? null : value.trim() };
  };
  const positions = changed['maxOpenPositions'];
  return {
    ...text('maxOrderSize'),
    ...text('maxTotalExposure'),
    ...text('maxDailyLoss'),
    ...(positions === undefined
      ? {}
      : { maxOpenPositions: positions.trim() === '' ? null : Number(positions) }),
  };
}

type Exported = Output<'GET /api/web3/export-private-key'>;
/** An exported key is on the screen so long at most. */
const SHOWN_MS = 60_000;

/** A wallet's private key, against a code on the phone: shown once, and gone after a minute. */
function ExportKey() {
  const [wallet, setWallet] = useState<'evm' | 'solana'>('evm');
  const [challengeId, setChallengeId] = useState<string | null>(null);
  const [code, setCode] = useState('');
  const [exported, setExported] = useState<Exported | null>(null);
  const { isBusy, problem, make } = useAttempt();
  useEffect(() => {
    if (exported === null) return undefined;
    const timer = setTimeout(() => setExported(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [exported]);
  const request = () =>
    make(async () => {
      const answer = await call('POST /api/web3/export-private-key/code', {});
      setChallengeId(answer.challengeId);
    });
  const show = (id: string) =>
    make(async () => {
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
        <Segment<'evm' | 'solana'>
          label="Which wallet"
          value={wallet}
          choices={[
            ['evm', 'EVM'],
            ['solana', 'Solana'],
          ]}
          onChange={setWallet}
        />
        {challengeId === null ? null : (
          <Field
            label="Code from your phone"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.target.value.replace(/\D/g, ''))}
          />
        )}
        <Button type="submit" isBusy={isBusy} look={challengeId === null ? 'primary' : 'danger'}>
          {challengeId === null ? 'Send me a code' : 'Show the key'}
        </Button>
        {problem === null ? null : <ProblemNote problem={problem} />}
      </form>
      {exported === null ? null : (
        <Dialog
          title="Your private key"
          onClose={() => setExported(null)}
          actions={
            <Button look="primary" onClick={() => setExported(null)}>
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
