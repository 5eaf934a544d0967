import { useState } from 'react';
import { Link } from 'wouter';
import { Refusal } from '../../app/refusal.tsx';
import { useChange, useRead } from '../../api/query.ts';
import type { Input, Output } from '../../api/routes.ts';
import { usd } from '../../format/money.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Field, Switch } from '../../ui/form.tsx';
import { Page, Split } from '../../ui/layout.tsx';
import { Empty, ProblemNote, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { askedOf, askedWords } from '../confirmations/asked.ts';
import styles from '../wallet/wallet.module.css';

type Body = Input<'POST /api/user/keys/'>['body'];
type Scope = NonNullable<Body['scopes']>[number];
type Key = Output<'GET /api/user/keys/'>['data'][number];

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['read', 'Read markets, positions, orders'],
  ['trade', 'Place and cancel orders, switch agents'],
  ['swap', 'Swap and bridge between your own wallets'],
];

/** How often what keys were used for is read again. */
const READ_EVERY_MS = 15_000;

/** Keys for programs and assistants: made, shown once, revoked, and how to connect one. */
export function KeysPage() {
  const asked = askedOf(useRead('GET /api/user/confirmations/', {}).data?.data);
  return (
    <Page
      title="API keys and assistants"
      sub={
        <Link href={PAGES.confirmations} className="link">
          {asked === 0 ? 'What assistants have asked you' : askedWords(asked)}
        </Link>
      }
    >
      <Split
        main={
          <>
            <Keys />
            <Connect />
          </>
        }
        side={<NewKey />}
      />
    </Page>
  );
}

function Keys() {
  // no topic tells of a key's use
  const keys = useRead('GET /api/user/keys/', {}, { everyMs: READ_EVERY_MS });
  const revoke = useChange('POST /api/user/keys/:id/revoke/', ['GET /api/user/keys/']);
  const remove = useChange('DELETE /api/user/keys/:id/', ['GET /api/user/keys/']);
  const [asked, setAsked] = useState<Key | null>(null);
  return (
    <Card title="Your keys">
      <Read
        of={keys}
        isEmpty={({ data }) => data.length === 0}
        empty={<Empty>You have no key yet. An assistant needs one to see or trade for you.</Empty>}
      >
        {({ data }) => (
          <Table
            caption="Your keys"
            rows={data}
            keyOf={({ keyId }) => keyId}
            columns={[
              {
                head: 'Key',
                cell: ({ name, prefix }) => (
                  <>
                    <bdi>{name}</bdi>
                    <div className="faint mono">{prefix}…</div>
                  </>
                ),
              },
              { head: 'May', cell: ({ scopes }) => scopes.join(', ') },
              {
                head: 'Asks you above',
                cell: ({ limits }) =>
                  limits.confirmAbove === null ? 'never' : usd(limits.confirmAbove),
              },
              { head: 'State', cell: ({ state }) => state },
              {
                head: 'Last used',
                isNumber: true,
                cell: ({ lastUsedAtMs }) => <Moment atMs={lastUsedAtMs} />,
              },
              {
                head: '',
                cell: (key) =>
                  key.state === 'active' ? (
                    <Button isSmall variant="danger" onClick={() => setAsked(key)}>
                      Revoke
                    </Button>
                  ) : (
                    <Button isSmall onClick={() => remove.mutate({ params: { id: key.keyId } })}>
                      Delete
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Read>
      {asked === null ? null : (
        <Confirm
          title={`Revoke ${asked.name}?`}
          action="Revoke"
          keep="Keep it"
          isDanger
          isBusy={revoke.isPending}
          onConfirm={() =>
            revoke.mutate({ params: { id: asked.keyId } }, { onSuccess: () => setAsked(null) })
          }
          onClose={() => setAsked(null)}
        >
          <p>
            The key and every token it was exchanged for end at once, and so does what it waits for
            you to confirm.
          </p>
          {revoke.error === null ? null : <ProblemNote problem={revoke.error} />}
        </Confirm>
      )}
    </Card>
  );
}

function NewKey() {
  const [name, setName] = useState('my assistant');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [confirmAbove, setConfirmAbove] = useState('0');
  const [maxPerDay, setMaxPerDay] = useState('');
  const create = useChange('POST /api/user/keys/', ['GET /api/user/keys/']);
  const mayMore = scopes.some((scope) => scope !== 'read');
  const make = (): void =>
    create.mutate({
      body: {
        name,
        scopes: [...scopes],
        ...(mayMore && confirmAbove !== '' ? { confirmAbove } : {}),
        ...(mayMore && maxPerDay !== '' ? { maxPerDay } : {}),
      },
    });
  return (
    <Card title="New key" isPadded>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <Field
          label="Name"
          required
          value={name}
          refused={create.error?.faultOf('name')}
          onChange={(event) => setName(event.target.value)}
        />
        {SCOPES.map(([scope, label]) => (
          <Switch
            key={scope}
            label={label}
            checked={scopes.includes(scope)}
            onChange={(event) =>
              setScopes(
                event.target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope),
              )
            }
          />
        ))}
        {mayMore ? (
          <>
            <Field
              label="Ask me before it sets aside more than"
              inputMode="decimal"
              before="$"
              value={confirmAbove}
              hint="0 asks before every order. Empty never asks."
              refused={create.error?.faultOf('confirmAbove')}
              onChange={(event) => setConfirmAbove(event.target.value)}
            />
            <Field
              label="A day at most"
              inputMode="decimal"
              before="$"
              value={maxPerDay}
              hint="Empty: only your own limits hold."
              refused={create.error?.faultOf('maxPerDay')}
              onChange={(event) => setMaxPerDay(event.target.value)}
            />
          </>
        ) : null}
        <Button
          variant="primary"
          type="submit"
          isWide
          isBusy={create.isPending}
          blocked={scopes.length === 0 ? 'Choose what the key may do.' : null}
        >
          Make a key
        </Button>
        <Refusal
          problem={create.error}
          what="key"
          onSignedIn={make}
          fields={mayMore ? ['name', 'confirmAbove', 'maxPerDay'] : ['name']}
        />
      </form>
      {create.data === undefined ? null : (
        <Dialog
          title="Your new key, shown this once"
          onClose={() => create.reset()}
          actions={
            <Button variant="primary" onClick={() => create.reset()}>
              I have kept it
            </Button>
          }
        >
          <p className={styles['full']}>{create.data.key}</p>
          <Copy text={create.data.key} what="key" />
          <p className="muted">Whoever has it may do what you chose. It is not shown again.</p>
          <p>
            The configuration for an assistant with this key in it{' '}
            <Copy text={configurationOf(create.data.key)} what="configuration" />
          </p>
          <pre className="mono" tabIndex={0} style={{ overflowX: 'auto' }}>
            {configurationOf(create.data.key)}
          </pre>
        </Dialog>
      )}
    </Card>
  );
}

/** What an assistant's program is given to connect with a key. */
function configurationOf(key: string): string {
  return JSON.stringify(
    {
      mcpServers: {
        predictd: {
          type: 'http',
          url: `${location.origin}/mcp`,
          headers: { Authorization: `Bearer ${key}` },
        },
      },
    },
    null,
    2,
  );
}

function Connect() {
  const configuration = configurationOf('pk_…');
  return (
    <Card
      title="Connect an assistant"
      aside={<Copy text={configuration} what="configuration" />}
      isPadded
    >
      <p className="muted">
        Assistants that speak MCP connect at this address with a key of yours. Put this into the
        assistant’s configuration, with the key where it says “pk_…”.
      </p>
      <p className="muted" style={{ marginTop: 12 }}>
        A key is for MCP and for services of the operator, which exchange it for a token. As a
        bearer token of the HTTP interface it is refused (401): a program of yours calls the tools
        of MCP with it.
      </p>
      <pre className="mono" tabIndex={0} style={{ overflowX: 'auto', marginTop: 12 }}>
        {configuration}
      </pre>
    </Card>
  );
}
