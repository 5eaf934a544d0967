import { EVM_TRANSFER, TOKEN_TRANSFER } from '../../../config/limits/funds.ts';
import { SWAP, TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import type { CashAccount } from '../../domain/cash.ts';
import { isSameOnChain } from '../../domain/chain-address.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import { coinOrKnownToken, knownTokenAt } from '../../domain/known-tokens.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { judgeName } from '../../domain/token-listing.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { EvmAccounts, Simulation } from '../../ports/evm-account.ts';
import type { EvmCall, EvmChain } from '../../ports/evm.ts';
import type { TokenFacts } from '../../ports/pair-exchange.ts';
import type { Wallets } from '../sign-in/accounts.ts';
import { callsBody, transferCall } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';
import {
  badField,
  cannotPay,
  type SendableToken,
  type Sending,
  type TransferChain,
} from './transfer-chains.ts';

export interface EvmTransferDeps {
  readonly chain: Web3ChainId;
  readonly evm: Pick<EvmChain, 'chainId' | 'balances' | 'hasCode'>;
  readonly accounts: Pick<EvmAccounts, 'simulate' | 'fees' | 'gas'>;
  /** Reads an address, its checksum held to it; null for any other text. */
  readonly readAddress: (text: string) => Address | null;
  /** What a token says of itself; null without one. Errors: `chain_unavailable`. */
  readonly factsOf: (token: Address) => Promise<TokenFacts | null>;
  readonly walletsOf: (userId: UserId) => Wallets;
  /** Tokens of the user's own choice, for telling their addresses. */
  readonly ownTokensOf: (
    userId: UserId,
  ) => readonly { readonly address: string; readonly symbol: string | null }[];
  /** Which balance in the books a token of users' wallets is; null for any other token. */
  readonly cashAccountOf: (place: {
    readonly chain: Web3ChainId;
    readonly address: string | null;
  }) => CashAccount | null;
}

/** Makes transfers of the coin and of any token on one EVM chain. */
export function createEvmTransfers(deps: EvmTransferDeps): TransferChain {
  const { chain } = deps;
  return {
    chain,
    tokenOf: (userId, name) => tokenOf(deps, userId, name),
    recipientOf: (userId, to) => recipientOf(deps, userId, to),
    accountOf: (userId) => ({ chain, rail: 'evm', address: deps.walletsOf(userId).evm }),
    async assertPayable(sending) {
      const { wei, held } = await assertHeld(deps, sending);
      await assertRecipient(deps, sending);
      await assertMovesAsAsked(deps, sending);
      const fees = await assertGas(deps, sending, wei);
      const { token, units } = sending;
      const coin = { token: null, ...web3Chain(chain).native, held: wei };
      return token.token === null
        ? [{ ...coin, units: units + fees }]
        : [
            { ...token, held, units },
            { ...coin, units: fees },
          ];
    },
    bodyOf: (sending) => callsBody([callOf(sending)]),
  };
}

function callOf({ token: { token }, to, units }: Sending): EvmCall {
  return token === null
    ? { to: asId<Address>(to), data: '0x', valueWei: units }
    : transferCall(asId<Address>(token), asId<Address>(to), units);
}

async function tokenOf(
  deps: EvmTransferDeps,
  userId: UserId,
  name: string,
): Promise<SendableToken> {
  const { chain, cashAccountOf } = deps;
  const meant = coinOrKnownToken(chain, name);
  if (meant === null) {
    const { symbol, decimals } = web3Chain(chain).native;
    return { token: null, symbol, decimals, cashAccount: null, minimumUnits: 1n };
  }
  if (meant === undefined) throw noTicker(deps, userId, name);
  const address = deps.readAddress(meant);
  if (address === null)
    throw badField('/token', 'its letters do not fit its checksum: one of them is mistyped');
  const known = knownTokenAt(chain, address);
  if (known === null) return unlisted(deps, address);
  const { symbol, decimals, isDollar } = known;
  return {
    token: known.address,
    symbol,
    decimals,
    cashAccount: cashAccountOf({ chain, address: known.address }),
    minimumUnits: isDollar ? centsOf(decimals) : 1n,
  };
}

/** The least amount of a dollar, in its smallest unit. */
function centsOf(decimals: number): bigint {
  return (BigInt(TOKEN_TRANSFER.minimumUsdcMicros) * 10n ** BigInt(decimals)) / 1_000_000n;
}

/** What a token calls itself is shown where nothing speaks against it, and else its address. */
async function unlisted(
  { chain, factsOf }: EvmTransferDeps,
  address: Address,
): Promise<SendableToken> {
  const facts = await factsOf(address);
  if (facts === null)
    throw new AppError('not_found', `there is no token at ${address} on ${web3Chain(chain).name}`);
  const { symbol, warnings } = judgeName({ chain, address, ...facts }, TOKEN_WARNINGS);
  return {
    token: address,
    symbol: symbol === '' || warnings.length > 0 ? address : symbol,
    decimals: facts.decimals,
    cashAccount: null,
    minimumUnits: 1n,
  };
}

/** Any contract may use any ticker: one outside the known list names no token. */
function noTicker({ chain, ownTokensOf }: EvmTransferDeps, userId: UserId, name: string): AppError {
  const candidates = ownTokensOf(userId)
    .filter(({ symbol }) => symbol?.toLowerCase() === name.toLowerCase())
    .map(({ address }) => address);
  return badField(
    '/token',
    candidates.length === 0
      ? `neither a listed ticker on ${web3Chain(chain).name} nor an address: name the token by its address`
      : `no listed ticker: name the token by its address, among yours ${candidates.join(', ')}`,
  );
}

/** Addresses below it are contracts of the chains themselves, without a private key. */
const SYSTEM_ADDRESSES_BELOW = 1n << 16n;
/** Where people send what they want destroyed. */
const BURN_ADDRESS = '0x000000000000000000000000000000000000dEaD';

function recipientOf(
  { chain, readAddress, walletsOf }: EvmTransferDeps,
  userId: UserId,
  text: string,
): string {
  const to = readAddress(text);
  if (to === null)
    throw badField('/to', 'an address: 0x and forty hex digits, mixed case by its checksum alone');
  if (BigInt(to) < SYSTEM_ADDRESSES_BELOW || isSameAddress(to, BURN_ADDRESS))
    throw badField('/to', 'an address with an owner: this one has no private key');
  if (knownTokenAt(chain, to) !== null)
    throw badField('/to', 'a wallet: this is the address of a token');
  if (SWAP.targets.some((contract) => isSameAddress(to, contract)))
    throw badField('/to', 'a wallet: this is the contract that swaps go through');
  if (isSameAddress(to, walletsOf(userId).safe))
    throw badField(
      '/to',
      'an address other than your own Safe, which is paid into with /api/web3/safe-transfer',
    );
  return to;
}

/** Resolves with what is there, of the coin in wei and of the token. */
async function assertHeld(
  { chain, evm }: EvmTransferDeps,
  { from, token: { token, symbol, decimals }, units }: Sending,
): Promise<{ readonly wei: bigint; readonly held: bigint }> {
  const owner = asId<Address>(from);
  const { wei, tokens } = await evm.balances(owner, token === null ? [] : [asId<Address>(token)]);
  const held = token === null ? wei : (tokens[0] ?? 0n);
  if (held < units)
    throw cannotPay(
      '/amount',
      `your wallet holds ${formatTokenAmount(held, decimals)} ${symbol} on ${web3Chain(chain).name}`,
    );
  return { wei, held };
}

/** A token that is sent to itself, or to another token, is lost. */
async function assertRecipient({ evm, factsOf }: EvmTransferDeps, { to }: Sending): Promise<void> {
  const address = asId<Address>(to);
  if ((await evm.hasCode(address)) && (await factsOf(address)) !== null)
    throw badField('/to', 'a wallet: this is the address of a token');
}

/**
 * Tries it out on the newest state: what leaves is what was asked for, nothing else of the wallet
 * moves, and something arrives. A token may keep a fee of its own; one that takes more is not
 * signed.
 */
async function assertMovesAsAsked({ accounts }: EvmTransferDeps, sending: Sending): Promise<void> {
  const { from, to, token, units } = sending;
  const seen = await accounts.simulate(asId<Address>(from), [callOf(sending)]);
  if (seen.kind === 'reverted' && isSameAddress(seen.lacking ?? '', from))
    throw cannotPay('/amount', `your wallet holds too little ${token.symbol}: ${seen.reason}`);
  if (seen.kind === 'reverted')
    throw new AppError(
      'chain_reverted',
      `${token.token === null ? 'the recipient' : token.symbol} takes it back: ${seen.reason}`,
    );
  const others = [
    ...seen.movements.filter((move) => isFrom(move, from) && !isOf(move, token)),
    ...seen.approvals.filter(({ owner, amount }) => isSameAddress(owner, from) && amount > 0n),
  ];
  if (others.length > 0)
    throw new AppError('chain_reverted', `${token.symbol} would move more than itself`);
  const moved = gained(seen, token);
  if (moved(from) !== -units)
    throw new AppError(
      'chain_reverted',
      `${formatTokenAmount(-moved(from), token.decimals)} ${token.symbol} would leave your wallet, not what you asked for`,
    );
  if (moved(to) <= 0n)
    throw new AppError('chain_reverted', `nothing of the ${token.symbol} would arrive`);
}

type Seen = Extract<Simulation, { kind: 'done' }>;

function isFrom({ from, amount }: Seen['movements'][number], wallet: string): boolean {
  return isSameAddress(from, wallet) && amount > 0n;
}

function isOf(move: Seen['movements'][number], { token }: SendableToken): boolean {
  return isSameOnChain(move.token, token);
}

/** What an address gains of a token, below zero what it loses. */
function gained({ movements }: Seen, token: SendableToken): (address: string) => bigint {
  const own = movements.filter((move) => isOf(move, token));
  return (address) =>
    own.reduce(
      (sum, { from, to, amount }) =>
        sum +
        (isSameAddress(to, address) ? amount : 0n) -
        (isSameAddress(from, address) ? amount : 0n),
      0n,
    );
}

/**
 * The coin pays for its own way, also where it has to pay more to be taken. Resolves with that, in
 * wei.
 */
async function assertGas(
  { chain, evm, accounts }: EvmTransferDeps,
  sending: Sending,
  wei: bigint,
): Promise<bigint> {
  const { native } = web3Chain(chain);
  const [gas, { maxFeePerGas }] = await Promise.all([
    accounts.gas(asId<Address>(sending.from), callOf(sending)),
    accounts.fees(),
  ]);
  const needed =
    (gas * maxFeePerGas * EVM_TRANSFER.reservePercent) / 100n +
    (EVM_TRANSFER.publishingWei[evm.chainId] ?? 0n);
  const left = wei - (sending.token.token === null ? sending.units : 0n);
  if (left >= needed) return needed;
  const coin = (amount: bigint) => formatTokenAmount(amount, native.decimals);
  throw cannotPay(
    sending.token.token === null ? '/amount' : '/token',
    `not enough ${native.symbol} for gas: ${coin(needed)} are needed${sending.token.token === null ? ' beside what is sent' : ''}, and your wallet holds ${coin(wei)} on ${web3Chain(chain).name}: deposit or bridge some there`,
  );
}
