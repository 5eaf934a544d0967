import { LEDGER_PROOF } from '../../../config/limits/figures.ts';
import { CASH_ACCOUNTS, isCashAccount, type CashAccount } from '../../domain/cash.ts';
import type { LedgerBalance, LedgerOwner } from '../../domain/ledger.ts';
import { MICROS_PER_UNIT } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { compareKeys } from '../../ports/store-rules.ts';
import type { Key } from '../../ports/store.ts';
import { BALANCES } from './tables.ts';

/** Owners of accounts who are no users. */
const NOT_USERS: ReadonlySet<string> = new Set<LedgerOwner>(['venue', 'fees', 'outside']);

/** Accounts that were read together: those up to `last`, as of the journal's entry `seq`. */
interface Page {
  readonly last: Key | null;
  readonly seq: number;
}

/** A round over the whole ledger. */
interface Round {
  /** Micros by asset over the accounts read so far. */
  readonly sums: Map<string, bigint>;
  /** Micros of users by cash account, each as of its page. */
  readonly cash: Map<CashAccount, { settled: number; provisional: number }>;
  readonly pages: Page[];
}

/**
 * Makes the periodic task that adds up the whole ledger every LEDGER_PROOF.intervalMs, a page of
 * accounts a call, and shows how far it is from zero. Postings go on meanwhile: each page is as of
 * a number of the journal, and what was posted to its accounts between that and the end of the
 * round is added from there. So the sum is that of one moment, though no call reads more than a
 * page.
 */
export function createLedgerProof({
  store,
  clock,
  metrics,
  log,
}: Pick<Runtime, 'store' | 'metrics' | 'log'> & {
  /** Wall time. */
  readonly clock: Clock;
}): () => void {
  let round: Round | null = null;
  let dueAtMs = clock.nowMs();

  function readPage({ sums, cash, pages }: Round): boolean {
    const after = pages.at(-1)?.last;
    const limit = LEDGER_PROOF.accountsPerRead;
    const accounts = store.range(BALANCES, after ? { after, limit } : { limit });
    for (const { key, value } of accounts) {
      const [owner, asset] = [String(key[0]), String(key[1])];
      add(sums, asset, microsOf(value));
      if (!isCashAccount(asset) || NOT_USERS.has(owner)) continue;
      const { settled = 0, provisional = 0 } = cash.get(asset) ?? {};
      cash.set(asset, {
        settled: settled + value.settled,
        provisional: provisional + value.provisional,
      });
    }
    const isLast = accounts.length < limit;
    pages.push({ last: isLast ? null : (accounts.at(-1)?.key ?? null), seq: store.newestFact() });
    return isLast;
  }

  /** Adds what was posted to accounts after they were read. False where that is too much. */
  function catchUp({ sums, pages }: Round): boolean {
    let after = pages[0]?.seq ?? 0;
    const until = pages.at(-1)?.seq ?? 0;
    for (let read = 0; after < until; read += 1) {
      if (read === LEDGER_PROOF.journalPagesMaximum) return false;
      const entries = store.readJournal(after, LEDGER_PROOF.journalPage);
      const last = entries.at(-1);
      if (last === undefined) return false;
      for (const { seq, event } of entries) {
        if (seq > until || event.type !== 'ledger.posted') continue;
        for (const { owner, asset, micros } of event.entry.postings)
          if (seq > seqOf(pages, [owner, asset])) add(sums, asset, BigInt(micros));
      }
      after = last.seq;
    }
    return true;
  }

  function tell({ sums, cash }: Round): void {
    const off = [...sums];
    const micros = off.reduce((total, [, sum]) => total + (sum < 0n ? -sum : sum), 0n);
    metrics.gauge('ledger_imbalance_usdc', Number(micros) / MICROS_PER_UNIT);
    metrics.gauge('ledger_imbalance_checked_timestamp_seconds', clock.nowMs() / 1_000);
    for (const asset of CASH_ACCOUNTS) {
      const { settled = 0, provisional = 0 } = cash.get(asset) ?? {};
      const account = asset.replace('usdc:', '');
      metrics.gauge('money_usdc', settled / MICROS_PER_UNIT, { account, kind: 'cash' });
      metrics.gauge('money_usdc', provisional / MICROS_PER_UNIT, { account, kind: 'unsettled' });
    }
    if (micros !== 0n)
      log.error(
        { assets: off.slice(0, LEDGER_PROOF.assetsNamed).map(([asset, sum]) => `${asset} ${sum}`) },
        'ledger.out_of_balance',
      );
  }

  return () => {
    if (round === null && clock.nowMs() < dueAtMs) return;
    round ??= { sums: new Map(), cash: new Map(), pages: [] };
    if (!readPage(round)) return;
    if (catchUp(round)) tell(round);
    else log.warn({ pages: round.pages.length }, 'ledger.not_proven');
    round = null;
    dueAtMs = clock.nowMs() + LEDGER_PROOF.intervalMs;
  };
}

/** The journal's number as of which an account was read. */
function seqOf(pages: readonly Page[], account: Key): number {
  const page = pages.find(({ last }) => last === null || compareKeys(account, last) <= 0);
  return page?.seq ?? 0;
}

function add(sums: Map<string, bigint>, asset: string, micros: bigint): void {
  const sum = (sums.get(asset) ?? 0n) + micros;
  if (sum === 0n) sums.delete(asset);
  else sums.set(asset, sum);
}

function microsOf({ provisional, settled }: LedgerBalance): bigint {
  return BigInt(provisional) + BigInt(settled);
}
