import { EVM_RAIL } from '../../../config/limits/chain.ts';
import { SOLANA_SWAP, SWAP } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import type { SwapSide } from '../../domain/swap.ts';
import { faultsOfSimulation } from '../../domain/swap-checks.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { ChainAccount, TransactionBody } from '../../domain/transaction.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { LossBound } from '../../ports/solana.ts';
import type { WalletDemand } from '../transactions/wallet-reserves.ts';
import { callsBody } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';
import { approvalsFor, callOf } from './swap-calls.ts';
import type { SwapDeps } from './swap-deps.ts';
import type { EvmSwapNodes, SolanaSwapNodes, SwapNodes } from './swap-proof.ts';
import type { SwapQuote } from './swap-quotes.ts';
import { refuseFaults } from './swap-quoting.ts';

/** What there is to sign for a swap: the exact rights first, then the swap itself. */
export interface PreparedSwap {
  readonly account: ChainAccount;
  readonly approvals: readonly TransactionBody[];
  readonly body: TransactionBody;
  /** What it takes out of the wallet, beside what that holds. */
  readonly demands: readonly WalletDemand[];
}

type PrepareDeps = Pick<SwapDeps, 'targets' | 'log' | 'metrics'>;

/**
 * Tries a quote out on the newest state of its chain, and gives what there is to sign. Errors:
 * `insufficient_funds`, `quote_refused`, `chain_unavailable`.
 */
export function prepareSwap(
  deps: PrepareDeps,
  nodes: SwapNodes,
  quote: SwapQuote,
): Promise<PreparedSwap> {
  return nodes.kind === 'evm'
    ? prepareOnEvm(deps, nodes, quote)
    : prepareOnSolana(deps, nodes, quote);
}

async function prepareOnEvm(
  deps: PrepareDeps,
  nodes: EvmSwapNodes,
  quote: SwapQuote,
): Promise<PreparedSwap> {
  const { userId, asked, sell, offer } = quote;
  const { transaction } = offer;
  if (transaction.kind !== 'evm') throw wrongKind(deps, userId);
  const { wei, held } = await assertHeldOnEvm(nodes, quote);
  const approvals = await approvalsFor(nodes, quote);
  const call = callOf(transaction);
  const seen = await nodes.accounts.simulate(asId<Address>(asked.sender), [...approvals, call]);
  if (seen.kind === 'reverted' && isSameAddress(seen.lacking ?? '', asked.sender))
    throw tooLittle(`your wallet holds too little ${sell.symbol}: ${seen.reason}`);
  const faults =
    seen.kind === 'reverted'
      ? [`the chain would take it back: ${seen.reason}`]
      : faultsOfSimulation(asked, offer, { ...seen, targets: deps.targets });
  // another transaction of the wallet may have taken it since it was read
  if (faults.length > 0) await assertHeldOnEvm(nodes, quote);
  refuseFaults(deps, userId, { stage: 'execution', faults });
  // a right that is taken back after a failure is one more call
  const gas =
    (seen.kind === 'done' ? seen.gas : 0n) + (approvals.length > 0 ? BigInt(SWAP.approvalGas) : 0n);
  const fees = await assertGas(nodes, sell.chain, { gas, wei, leaves: call.valueWei });
  const coin = { token: null, ...web3Chain(sell.chain).native, held: wei };
  return {
    account: { chain: sell.chain, rail: 'evm', address: asked.sender },
    approvals: approvals.map((each) => callsBody([each])),
    body: callsBody([call]),
    demands: [
      ...(sell.address === null
        ? []
        : [{ ...sell, token: sell.address, held, units: asked.amount }]),
      { ...coin, units: call.valueWei + fees },
    ],
  };
}

/** Resolves with what the wallet holds, of the coin in wei and of what is sold. */
async function assertHeldOnEvm(
  { evm }: EvmSwapNodes,
  { asked, sell }: SwapQuote,
): Promise<{ readonly wei: bigint; readonly held: bigint }> {
  const owner = asId<Address>(asked.sender);
  const { wei, tokens } = await evm.balances(
    owner,
    sell.address === null ? [] : [asId<Address>(sell.address)],
  );
  const held = sell.address === null ? wei : (tokens[0] ?? 0n);
  assertHeld(sell, held, asked.amount);
  return { wei, held };
}

/**
 * A node takes no transaction whose wallet could not pay its highest fee: it would wait here.
 * Resolves with that fee, wei.
 */
async function assertGas(
  { accounts }: EvmSwapNodes,
  chain: Web3ChainId,
  { gas, wei, leaves }: { readonly gas: bigint; readonly wei: bigint; readonly leaves: bigint },
): Promise<bigint> {
  const { maxFeePerGas } = await accounts.fees();
  const needed = ((gas * EVM_RAIL.gasPercent) / 100n) * maxFeePerGas;
  if (wei - leaves >= needed) return needed;
  const { native, name } = web3Chain(chain);
  const coin = (amount: bigint): string =>
    `${formatTokenAmount(amount, native.decimals)} ${native.symbol}`;
  const message = `not enough ${native.symbol} for gas: ${coin(needed)} are needed${leaves > 0n ? ' beside what is sold' : ''}, and your wallet holds ${coin(wei)} on ${name}: deposit or bridge some there`;
  throw tooLittle(message);
}

function tooLittle(message: string): AppError {
  return new AppError('insufficient_funds', message, { fields: [{ path: '/quoteId', message }] });
}

function assertHeld(sell: SwapSide, held: bigint, amount: bigint): void {
  if (held >= amount) return;
  const message = `at most ${formatTokenAmount(held, sell.decimals)} ${sell.symbol} on ${sell.chain}`;
  throw tooLittle(`your wallet holds ${message}`);
}

async function prepareOnSolana(
  deps: PrepareDeps,
  { solana, offered }: SolanaSwapNodes,
  quote: SwapQuote,
): Promise<PreparedSwap> {
  const { userId, asked, sell, offer } = quote;
  const { transaction } = offer;
  if (transaction.kind !== 'solana') throw wrongKind(deps, userId);
  const { lamports, held } = await assertHeldOnSolana(solana, quote);
  const seen = await offered.bounded(transaction.base64, boundOf(quote));
  // another transaction of the wallet may have taken it since it was read
  if (seen.kind === 'refused') await assertHeldOnSolana(solana, quote);
  refuseFaults(deps, userId, {
    stage: 'execution',
    faults: seen.kind === 'refused' ? [`its transaction ${seen.fault}`] : [],
  });
  return {
    account: { chain: 'SOLANA', rail: 'solana', address: asked.sender },
    approvals: [],
    body: {
      kind: 'message',
      base64: seen.kind === 'refused' ? '' : seen.base64,
      lastValidHeight: null,
    },
    demands: [
      ...(sell.address === null
        ? []
        : [{ ...sell, token: sell.address, held, units: asked.amount }]),
      {
        token: null,
        ...web3Chain('SOLANA').native,
        held: lamports,
        units: BigInt(SOLANA_SWAP.lamportsNeeded) + (sell.address === null ? asked.amount : 0n),
      },
    ],
  };
}

/** Resolves with what the wallet holds, of SOL in lamports and of what is sold. */
async function assertHeldOnSolana(
  solana: SolanaSwapNodes['solana'],
  { asked, sell }: SwapQuote,
): Promise<{ readonly lamports: bigint; readonly held: bigint }> {
  const lamports = await solana.lamports(asked.sender);
  const tokens = sell.address === null ? [] : await solana.tokenAccounts(asked.sender);
  const held =
    sell.address === null
      ? lamports
      : tokens
          .filter(({ mint }) => mint === sell.address)
          .reduce((sum, { amount }) => sum + amount, 0n);
  assertHeld(sell, held, asked.amount);
  assertFee(lamports - (sell.address === null ? asked.amount : 0n));
  return { lamports, held };
}

function assertFee(lamportsLeft: bigint): void {
  if (lamportsLeft >= BigInt(SOLANA_SWAP.lamportsNeeded)) return;
  throw new AppError(
    'insufficient_funds',
    `the network takes its fee, and the rent of new token accounts, in SOL: your Solana wallet needs ${SOLANA_SWAP.lamportsNeeded / 1e9} SOL beside what is sold`,
  );
}

/**
 * What the transaction may cost at most: what is sold, and fees and rents; of what stays on Solana
 * it must bring what is promised.
 */
function boundOf({ asked, offer }: SwapQuote): LossBound {
  const { sender, sellToken, buyToken, amount } = asked;
  const staysHere = asked.toChain === 'SOLANA';
  const sold = sellToken === null ? amount : 0n;
  const bought = staysHere && buyToken === null ? offer.minimumOut : 0n;
  return {
    wallet: sender,
    mint: sellToken,
    amount: sellToken === null ? 0n : amount,
    lamports: BigInt(SOLANA_SWAP.lamportsMaximum) + sold - bought,
    ...(staysHere && buyToken !== null
      ? { least: { mint: buyToken, amount: offer.minimumOut } }
      : {}),
  };
}

/** The offer's own check lets none come here. */
function wrongKind(deps: PrepareDeps, userId: UserId): Error {
  refuseFaults(deps, userId, {
    stage: 'execution',
    faults: ['its transaction is for another chain'],
  });
  return new Error('invariant broken: a fault refuses');
}
