import { useState } from 'react';
import { Link } from 'wouter';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { sendOnce } from '../../api/money-request.ts';
import { usePages } from '../../api/paged.ts';
import { readAgain } from '../../api/query.ts';
import type { Input, Output } from '../../api/routes.ts';
import { Refusal } from '../../app/refusal.tsx';
import { tokenAmount, usd } from '../../format/money.ts';
import { shortHash } from '../../format/text.ts';
import { tokenPath } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Field } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/state.tsx';
import { PictureField } from './picture-field.tsx';
import { launchProgress } from './progress.ts';
import { COST, progressBelow, stateColumn, WHEN } from './record-columns.tsx';
import { Warnings } from './token-warnings.tsx';
import styles from './wallet.module.css';

type Body = Input<'POST /api/web3/memelaunch/launch'>['body'];
type Estimate = Output<'POST /api/web3/memelaunch/estimate'>;

interface Preview {
  readonly body: Body;
  readonly estimate: Estimate;
}

/** Makes a token on the launch platform: what it costs first, then the launch, then the list. */
export function LaunchPage() {
  const [text, setText] = useState({ name: '', symbol: '', description: '' });
  const [imageId, setImageId] = useState<string | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  const { isBusy, problem, make } = useAttempt();
  const change = (part: Partial<typeof text>): void => {
    setText({ ...text, ...part });
    setPreview(null);
  };
  const ask = (of: string) =>
    make(async () => {
      setNote(null);
      const body = { ...text, imageId: of };
      setPreview({ body, estimate: await call('POST /api/web3/memelaunch/estimate', { body }) });
    });
  const launch = async ({ body }: Preview): Promise<void> => {
    await make(async () => {
      const made = await sendOnce('launch', body, (idempotencyKey) =>
        call('POST /api/web3/memelaunch/launch', { body }, { idempotencyKey }),
      );
      setNote(
        made.state === 'launched'
          ? `${made.symbol} is launched.`
          : `${made.symbol} was sent; the list below follows it.`,
      );
      setPreview(null);
      await readAgain(['GET /api/web3/memelaunch/', 'GET /api/web3/view']);
    });
    setAsking(false);
  };
  return (
    <Page
      title="Launch a token"
      sub="On the launch platform of Solana, in one transaction of your Solana wallet."
    >
      <div className={styles['narrow']}>
        <Card isPadded>
          <form
            className={styles['form']}
            onSubmit={(event) => {
              event.preventDefault();
              if (imageId !== null) void ask(imageId);
            }}
          >
            <div className={styles['line']}>
              <Field
                label="Name"
                required
                value={text.name}
                refused={problem?.faultOf('name')}
                onChange={(event) => change({ name: event.target.value })}
              />
              <Field
                label="Ticker"
                required
                value={text.symbol}
                refused={problem?.faultOf('symbol')}
                onChange={(event) => change({ symbol: event.target.value })}
              />
            </div>
            <Field
              label="Description"
              isOptional
              hint="What the token is about, for whoever sees it listed."
              value={text.description}
              refused={problem?.faultOf('description')}
              onChange={(event) => change({ description: event.target.value })}
            />
            <PictureField
              onUploaded={(uploaded) => {
                setImageId(uploaded);
                setPreview(null);
              }}
            />
            <Button
              type="submit"
              isWide
              isBusy={isBusy && preview === null}
              blocked={imageId === null ? 'Choose a picture first.' : null}
            >
              See what it costs
            </Button>
          </form>
          {preview === null ? null : (
            <Cost preview={preview} isBusy={isBusy} onLaunch={() => setAsking(true)} />
          )}
          <Refusal problem={problem} what="launch" fields={['name', 'symbol', 'description']} />
          {note === null ? null : <p role="status">{note}</p>}
        </Card>
      </div>
      {isAsking && preview !== null ? (
        <Confirm
          title={`Launch ${preview.body.symbol}?`}
          action={`Launch for at most ${tokenAmount(preview.estimate.costSol)} SOL`}
          isBusy={isBusy}
          onConfirm={() => void launch(preview)}
          onClose={() => setAsking(false)}
        >
          <p>
            At most {tokenAmount(preview.estimate.costSol)} SOL leaves your Solana wallet. The token
            <bdi> {preview.body.name}</bdi> is then there for everybody to see and to trade, for
            good; it cannot be changed or taken back, and you hold none of it until you buy it.
          </p>
        </Confirm>
      ) : null}
      <Launches />
    </Page>
  );
}

function Cost({
  preview: { estimate },
  isBusy,
  onLaunch,
}: {
  readonly preview: Preview;
  readonly isBusy: boolean;
  onLaunch(): void;
}) {
  const { costSol, costUsd, rentSol, feeSol, walletSol, mayLaunchAtMs, warnings } = estimate;
  const { refusal } = estimate;
  return (
    <div className={styles['form']}>
      <Facts
        rows={[
          ['Leaves your wallet, at most', `${tokenAmount(costSol)} SOL, ${usd(costUsd)}`],
          ['Held by the token’s accounts', `${tokenAmount(rentSol)} SOL`],
          ['Fee of the network', `${tokenAmount(feeSol)} SOL`],
          ['Your wallet holds', `${tokenAmount(walletSol)} SOL`],
          ...(mayLaunchAtMs === null
            ? []
            : [['Next launch possible', <Moment key="next" atMs={mayLaunchAtMs} />] as const]),
        ]}
      />
      <Warnings of={warnings} />
      <Button
        variant="primary"
        isWide
        isBusy={isBusy}
        // a fresh sign-in is asked for by the launch itself
        blocked={
          refusal === null || refusal.code === 'fresh_sign_in_required' ? null : refusal.detail
        }
        onClick={onLaunch}
      >
        Launch it
      </Button>
    </div>
  );
}

function Launches() {
  const list = usePages('GET /api/web3/memelaunch/', (query, options) =>
    call('GET /api/web3/memelaunch/', { query }, options),
  );
  return (
    <Card title="Your launches">
      <PagedTable
        of={list}
        caption="Your launches"
        empty={<Empty>You have launched nothing yet.</Empty>}
        keyOf={({ launchId }) => launchId}
        below={progressBelow(launchProgress)}
        columns={[
          {
            head: 'Token',
            cell: ({ name, symbol, mint, chain, state }) => (
              <>
                <bdi>{symbol}</bdi> <bdi className="muted">{name}</bdi>
                <div className="faint mono" title={mint}>
                  {state === 'launched' ? (
                    <Link href={tokenPath(chain, mint)} className="link">
                      {shortHash(mint)}
                    </Link>
                  ) : (
                    shortHash(mint)
                  )}
                </div>
              </>
            ),
          },
          stateColumn(launchProgress),
          COST,
          WHEN,
        ]}
      />
    </Card>
  );
}
