import { useState } from 'react';
import { useChange, useRead } from '../../api/query.ts';
import { session } from '../../api/session.ts';
import { changePreferences, usePreferences, type Preferences } from '../../app/preferences.ts';
import { Link } from 'wouter';
import { usd } from '../../format/money.ts';
import { shortHash } from '../../format/text.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Field, Segment } from '../../ui/form.tsx';
import { Page, Split } from '../../ui/layout.tsx';
import { ProblemNote, Read } from '../../ui/state.tsx';
import { Devices } from './devices.tsx';
import { type LimitField, limitWarning } from './limit-words.ts';
import styles from '../wallet/wallet.module.css';

/** Who one is, how much may go wrong, and how it looks. */
export function SettingsPage() {
  return (
    <Page
      title="Settings"
      sub={
        <>
          <Link href={PAGES.keys} className="link">
            API keys and assistants
          </Link>
          <Link href={PAGES.security} className="link">
            Security, sessions and export of keys
          </Link>
        </>
      }
    >
      <Split
        main={
          <>
            <Limits />
            <Devices />
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
                [
                  'Other ways to sign in',
                  identities.map(({ shown }) => shown).join(', ') || 'none yet',
                ],
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
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8 }}>
      <span className="mono" title={text}>
        {shortHash(text)}
      </span>
      <Copy text={text} what="address" />
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
    <Card title="Limits of your own">
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
                refused={save.error?.faultOf(field)}
                hint={hintOf(
                  field,
                  operator[field],
                  changed[field] ?? String(user[field] ?? ''),
                  before === '',
                )}
                {...(before === '' ? {} : { before })}
                onChange={(event) => setChanged({ ...changed, [field]: event.target.value })}
              />
            ))}
            {save.error === null ? null : (
              <ProblemNote problem={save.error} fields={LIMITS.map(([field]) => field)} />
            )}
            <Button
              variant="primary"
              type="submit"
              isBusy={save.isPending}
              disabled={Object.keys(changed).length === 0}
            >
              Save
            </Button>
            <p className="muted" role="status">
              {save.isSuccess && Object.keys(changed).length === 0 ? 'Saved.' : ''}
            </p>
          </form>
        )}
      </Read>
    </Card>
  );
}

/** What the service allows, and what is wrong with what is typed or saved though it is taken. */
function hintOf(
  field: LimitField,
  allowed: string | number | null,
  shown: string,
  isCount: boolean,
) {
  const warning = limitWarning(field, shown);
  if (warning === null && allowed === null) return undefined;
  return (
    <>
      {warning === null ? null : <span className="warn">{warning} </span>}
      {allowed === null ? null : `The service allows ${isCount ? allowed : usd(String(allowed))}.`}
    </>
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
