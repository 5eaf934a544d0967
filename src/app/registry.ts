import type { Environment } from '../../config/schema.ts';
import { registryMessages } from '../adapters/solana/registry-messages.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { MICROS_PER_UNIT } from '../domain/units.ts';
import { assertMayLeave } from '../services/funding/token-transfers.ts';
import { createRegistry, type Registry } from '../services/registry/registry.ts';
import type { LaunchParts } from './launches.ts';

/** Joins the agent registry with Solana, public files, and the receipts of agents. */
export function openRegistry({
  environment,
  runtime,
  external,
  core,
  people,
  money,
  tokens,
}: LaunchParts & {
  readonly environment: Pick<Environment, 'PREDICTD_CAP_DAILY_OUT_USD'>;
}): Registry {
  const { store, vault, random, wallClock: clock } = runtime;
  return createRegistry({
    store,
    vault,
    random,
    clock,
    commit: core.trading.commit,
    transactions: money.transactions,
    files: external.files,
    solana: external.chains.solana,
    trials: createSolanaTrials(external.chains.solanaNode),
    messages: registryMessages,
    prices: tokens.prices,
    walletOf: (userId) => people.accounts.profile(userId).wallets.solana,
    assertMayLeave,
    dailyOutMicros: environment.PREDICTD_CAP_DAILY_OUT_USD * MICROS_PER_UNIT,
    headOf(userId, agentId) {
      const [newest] = core.agents.decisions(userId, agentId, { limit: 1, cursor: null }).data;
      if (newest === undefined || newest.place === null) return null;
      const { decisionId, atMs } = newest.decision;
      return { decisionId, atMs, seq: newest.place.seq, hash: newest.place.hash };
    },
  });
}
