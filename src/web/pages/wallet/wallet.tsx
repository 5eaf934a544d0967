import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { tokenAmount, tokenPrice, usd } from '../../format/money.ts';
import { shortHash } from '../../format/text.ts';
import { PAGES } from '../../routes.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Money, Moment } from '../../ui/figures.tsx';
import { Page, Stat, Stats } from '../../ui/layout.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { chainName } from './holdings.ts';
import styles from './wallet.module.css';

type Wallets = Output<'GET /api/web3/view'>;
type Wallet = Wallets['wallets'][number];

const ACTIONS = [
  ['Deposit', PAGES.deposit],
  ['Withdraw', PAGES.withdraw],
  ['Swap and bridge', PAGES.swap],
  ['Transfer', PAGES.transfer],
  ['Tokens', PAGES.tokens],
  ['Launch', PAGES.launch],
  ['Registry', PAGES.registry],
] as const;

/** What the wallets hold on each chain, what could not be read. */
export function WalletPage() {
  const view = useRead('GET /api/web3/view', {});
  return (
    <Page
      title="Wallet"
      sub="A Safe on Polygon, whose pUSD pays for venue a; a Solana wallet, whose USDC pays for venue b; and an EVM wallet of your own, whose USDC on Base pays for venue c."
      actions={
        <nav className={styles['actions']} aria-label="Wallet">
          {ACTIONS.map(([name, path]) => (
            <Link key={path} href={path} className={styles['action']}>
              {name}
            </Link>
          ))}
        </nav>
      }
    >
      <Read of={view} lines={8}>
        {(answer) => (
          <>
            <Card>
              <Stats>
                <Stat name="In all wallets" isLarge>
                  <Money amount={answer.totalUsd} />
                </Stat>
                <Stat name="Not in the portfolio" term="walletsWorth">
                  <Money amount={answer.uncountedUsd} />
                </Stat>
                <Stat name="Read">
                  <Moment atMs={answer.readAtMs} />
                </Stat>
              </Stats>
              {answer.partial ? (
                <p className="warn" style={{ padding: '0 16px 14px' }}>
                  {answer.errors.length === 0
                    ? 'What shows “–” below has no price here and is not in the total. What shares of markets are worth is in your portfolio.'
                    : `Something held is not in the total. ${answer.errors.join(' ')}`}
                </p>
              ) : null}
            </Card>
            {answer.wallets
              .filter((wallet) => !isEmpty(wallet))
              .map((wallet) => (
                <WalletCard key={keyOf(wallet)} wallet={wallet} />
              ))}
            <EmptyWallets wallets={answer.wallets.filter(isEmpty)} />
          </>
        )}
      </Read>
    </Page>
  );
}

const KINDS = { EVM: 'EVM wallet', SVM: 'Solana wallet', SAFE: 'Safe' } as const;

function keyOf({ chain, walletType }: Wallet): string {
  return `${chain} ${walletType}`;
}

function heldIn({ native, tokens }: Wallet) {
  return [...(native === null ? [] : [{ ...native, outcome: null }]), ...tokens].filter(
    ({ balanceRaw }) => balanceRaw !== '0',
  );
}

/** Of one that could not be read it is not known. */
function isEmpty(wallet: Wallet): boolean {
  return wallet.errors.length === 0 && heldIn(wallet).length === 0;
}

function Address({ address }: { readonly address: string }) {
  return (
    <span className={styles['address']}>
      <span className="mono faint" title={address}>
        {shortHash(address)}
      </span>
      <Copy text={address} what="address" />
    </span>
  );
}

/** Wallets that hold nothing, in one card: their addresses take deposits all the same. */
function EmptyWallets({ wallets }: { readonly wallets: readonly Wallet[] }) {
  if (wallets.length === 0) return null;
  return (
    <Card title="Nothing is held in">
      <Facts
        rows={wallets.map((wallet) => [
          `${chainName(wallet.chain)} · ${KINDS[wallet.walletType]}`,
          <Address key={keyOf(wallet)} address={wallet.address} />,
        ])}
      />
    </Card>
  );
}

function WalletCard({ wallet }: { readonly wallet: Wallet }) {
  const { chain, walletType, address, totalUsd, errors } = wallet;
  const held = heldIn(wallet);
  return (
    <Card
      title={
        <>
          {chainName(chain)} · {KINDS[walletType]}
        </>
      }
      aside={
        <span className={styles['address']}>
          <Address address={address} />
          <strong>{usd(totalUsd)}</strong>
        </span>
      }
    >
      {errors.length === 0 ? null : (
        <p className="warn" style={{ padding: '10px 16px' }}>
          {errors.join(' ')}
        </p>
      )}
      {held.length === 0 ? (
        <Empty>Nothing is held here.</Empty>
      ) : (
        <Table
          caption={`Held on ${chainName(chain)}`}
          rows={held}
          keyOf={({ address: token }) => token ?? 'coin'}
          columns={[
            {
              head: 'Token',
              cell: ({ symbol, address: token, outcome }) =>
                outcome === null ? (
                  <bdi>{symbol ?? shortHash(token ?? '')}</bdi>
                ) : (
                  <>
                    <bdi>{outcome.label}</bdi>
                    <div className="faint">
                      <bdi>{outcome.question}</bdi>
                    </div>
                  </>
                ),
            },
            { head: 'Balance', isNumber: true, cell: ({ balance }) => tokenAmount(balance) },
            { head: 'Price', isNumber: true, cell: ({ priceUsd }) => tokenPrice(priceUsd) },
            { head: 'Worth', isNumber: true, cell: ({ valueUsd }) => usd(valueUsd) },
          ]}
        />
      )}
    </Card>
  );
}
