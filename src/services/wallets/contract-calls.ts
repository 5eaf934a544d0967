import { asId, type Address, type TokenId } from '../../domain/ids.ts';
import type { TransactionBody } from '../../domain/transaction.ts';
import type { EvmCall, EvmLog, EvmReceipt, Hex } from '../../ports/evm.ts';
import type { SignedPermit } from '../../ports/permits.ts';
import { isSameAddress, type Allowance } from './contracts.ts';

/**
 * Selectors: the first four bytes of the hash of each signature; a test compares them with a
 * general encoder.
 */
const SELECTORS = {
  transfer: 'a9059cbb',
  transferFrom: '23b872dd',
  approve: '095ea7b3',
  setApprovalForAll: 'a22cb465',
  isApprovedForAll: 'e985e9c5',
  permit: 'd505accf',
  wrap: '62355638',
  unwrap: '8cc7104f',
  redeemPositions: '01b7037c',
  redeemAtAdapter: 'dbeccb23',
  payoutDenominator: 'dd34de67',
} as const;

/**
 * `Transfer(address indexed from, address indexed to, uint256 value)`: the same for every ERC-20.
 */
export const TRANSFER_TOPIC: Hex =
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * `LiFiGenericSwapCompleted(bytes32 indexed transactionId, string integrator, string referrer,
 * address receiver, address fromAssetId, address toAssetId, uint256 fromAmount, uint256 toAmount)`
 * of the router's contract (LI.FI's ILiFi).
 */
const SWAPPED_TOPIC: Hex = '0x38eee76fd911eabac79da7af16053e809be0e12c8637f156e77e1af309b99537';
/** Which 32 bytes of its data each field is in; those of a string say where it lies. */
const SWAPPED_WORDS = { receiver: 2, toAssetId: 4, toAmount: 6 } as const;

/**
 * `TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id,
 * uint256 value)` and `TransferBatch` with lists of both: the same for every ERC-1155.
 */
const SINGLE_TOPIC: Hex = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const BATCH_TOPIC: Hex = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

/** The largest amount: an allowance without end. */
const UNLIMITED = 2n ** 256n - 1n;

/** A move of an ERC-20 token, as its contract tells it. */
export interface TokenTransfer {
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  /**
   * Its place among the events of its transaction: unlike its place in the block, a reorganisation
   * cannot change it.
   */
  readonly position: number;
}

/** ERC-20: sends `amount` of `token` to an address. */
export function transferCall(token: Address, to: Address, amount: bigint): EvmCall {
  return plain(token, SELECTORS.transfer, [addressWord(to), numberWord(amount)]);
}

/** ERC-20: brings `amount` from `from`, who allowed it, to `to`. */
export function transferFromCall(
  token: Address,
  { from, to, amount }: { readonly from: Address; readonly to: Address; readonly amount: bigint },
): EvmCall {
  return plain(token, SELECTORS.transferFrom, [
    addressWord(from),
    addressWord(to),
    numberWord(amount),
  ]);
}

/** Gives an allowance, for ERC-20 without end. */
export function allowanceCall(allowance: Allowance): EvmCall {
  return allowance.kind === 'erc20'
    ? plain(allowance.token, SELECTORS.approve, [
        addressWord(allowance.spender),
        numberWord(UNLIMITED),
      ])
    : plain(allowance.token, SELECTORS.setApprovalForAll, [
        addressWord(allowance.operator),
        numberWord(1n),
      ]);
}

/** EIP-2612: lets the spender take the amount, by the owner's signature. */
export function permitCall({
  token,
  owner,
  spender,
  amount,
  deadlineSeconds,
  signature,
}: SignedPermit): EvmCall {
  const digits = signature.slice(2);
  return plain(token, SELECTORS.permit, [
    addressWord(owner),
    addressWord(spender),
    numberWord(amount),
    numberWord(BigInt(deadlineSeconds)),
    numberWord(BigInt(`0x${digits.slice(128, 130)}`)),
    digits.slice(0, 64),
    digits.slice(64, 128),
  ]);
}

/** ERC-20: lets `spender` take exactly `amount`. */
export function approveCall(token: Address, spender: Address, amount: bigint): EvmCall {
  return plain(token, SELECTORS.approve, [addressWord(spender), numberWord(amount)]);
}

/** Returns what takes back the right that an approval gave: the same call with zero. */
export function approvalUndone({ to, data: given }: Pick<EvmCall, 'to' | 'data'>): EvmCall {
  return { to, data: `0x${given.slice(2, -64)}${numberWord(0n)}`, valueWei: 0n };
}

/** Returns the amount an approval is for. */
export function approvedAmount({ data: given }: Pick<EvmCall, 'data'>): bigint {
  return BigInt(`0x${given.slice(-64)}`);
}

/** Turns plain dollars, approved before, into collateral (venue_a.md section 14.5). */
export function wrapCall(
  onramp: Address,
  { asset, to, amount }: { readonly asset: Address; readonly to: Address; readonly amount: bigint },
): EvmCall {
  return plain(onramp, SELECTORS.wrap, [addressWord(asset), addressWord(to), numberWord(amount)]);
}

/**
 * Turns collateral, approved before, into as much of a plain dollar, paid to an address (venue_a.md
 * section 14.5).
 */
export function unwrapCall(
  offramp: Address,
  { asset, to, amount }: { readonly asset: Address; readonly to: Address; readonly amount: bigint },
): EvmCall {
  return plain(offramp, SELECTORS.unwrap, [
    addressWord(asset),
    addressWord(to),
    numberWord(amount),
  ]);
}

/**
 * Redeems both outcomes of a binary condition, all of the caller's shares, for `collateral`
 * (venue_a.md section 14.5).
 */
export function redeemCall(redeemer: Address, collateral: Address, conditionId: string): EvmCall {
  return plain(redeemer, SELECTORS.redeemPositions, [
    addressWord(collateral),
    numberWord(0n),
    conditionId.slice(2),
    numberWord(128n),
    numberWord(2n),
    numberWord(1n),
    numberWord(2n),
  ]);
}

/**
 * Redeems so many shares of each outcome of a binary condition at the adapter of its group
 * (venue_c.md section 11).
 */
export function redeemAtAdapterCall(
  adapter: Address,
  conditionId: string,
  shares: readonly bigint[],
): EvmCall {
  return plain(adapter, SELECTORS.redeemAtAdapter, [
    conditionId.slice(2),
    numberWord(64n),
    numberWord(BigInt(shares.length)),
    ...shares.map(numberWord),
  ]);
}

/** Asks whether a condition's payouts are on chain: zero while they are not. */
export function payoutQuestion(conditionId: string): Hex {
  return data(SELECTORS.payoutDenominator, [conditionId.slice(2)]);
}

/** ERC-1155: asks whether `operator` may move all that `owner` holds; not zero where it may. */
export function approvalQuestion(owner: Address, operator: Address): Hex {
  return data(SELECTORS.isApprovedForAll, [addressWord(owner), addressWord(operator)]);
}

/** Returns what a transaction of these calls does, as records hold it. */
export function callsBody(calls: readonly EvmCall[]): TransactionBody {
  return {
    kind: 'calls',
    calls: calls.map(({ to, data, valueWei }) => ({ to, data, valueWei: String(valueWei) })),
  };
}

/** Reads an unsigned number out of an answer; an empty one is zero: no contract is there. */
export function uintOf(answer: Hex): bigint {
  return answer === '0x' ? 0n : BigInt(answer.slice(0, 66));
}

/** Transfers of `token` in a transaction, in their order. */
export function transfersOf(
  { logs }: Pick<EvmReceipt, 'logs'>,
  token: Address,
): readonly TokenTransfer[] {
  return logs.flatMap((log, position) => {
    const transfer = isSameAddress(log.address, token) ? transferOf(log) : null;
    return transfer === null ? [] : [{ ...transfer, position }];
  });
}

/** Returns the ids of an ERC-1155 contract's tokens that left an address in a transaction. */
export function tokensFrom(
  { logs }: Pick<EvmReceipt, 'logs'>,
  { contract, from }: { readonly contract: Address; readonly from: Address },
): readonly TokenId[] {
  return logs.flatMap(({ address, topics: [name, , sender], data }) => {
    if (!isSameAddress(address, contract) || sender !== addressTopic(from)) return [];
    const word = (place: number): bigint =>
      BigInt(`0x${data.slice(2 + place * 64, 66 + place * 64) || '0'}`);
    if (name === SINGLE_TOPIC) return [asId<TokenId>(String(word(0)))];
    if (name !== BATCH_TOPIC) return [];
    const first = Number(word(0)) / 32;
    // No more than the data holds, whatever it says of itself.
    const count = Math.min(Number(word(first)), Math.floor((data.length - 2) / 64));
    return Array.from({ length: count }, (_, index) =>
      asId<TokenId>(String(word(first + 1 + index))),
    );
  });
}

/**
 * Returns what of the chain's coin the router's contract says it paid to a wallet in a transaction;
 * null where it says nothing of it.
 */
export function coinSwapped(
  { logs }: Pick<EvmReceipt, 'logs'>,
  { contracts, receiver }: { readonly contracts: readonly string[]; readonly receiver: Address },
): bigint | null {
  const paid = logs.flatMap(({ address, topics: [name], data: fields }) => {
    const word = (place: number): string => fields.slice(2 + place * 64, 66 + place * 64);
    const isOurs =
      name === SWAPPED_TOPIC &&
      contracts.some((contract) => isSameAddress(asId<Address>(contract), address)) &&
      word(SWAPPED_WORDS.toAmount).length === 64 &&
      word(SWAPPED_WORDS.receiver) === addressWord(receiver) &&
      word(SWAPPED_WORDS.toAssetId) === numberWord(0n);
    return isOurs ? [BigInt(`0x${word(SWAPPED_WORDS.toAmount)}`)] : [];
  });
  return paid.length === 0 ? null : paid.reduce((sum, amount) => sum + amount, 0n);
}

/** Writes an address as a topic of an event. */
export function addressTopic(address: Address): Hex {
  return `0x${addressWord(address)}`;
}

/** Reads an event as a move of an ERC-20 token; null for any other. */
export function transferOf({
  topics,
  data: amount,
}: EvmLog): Omit<TokenTransfer, 'position'> | null {
  const [name, from, to] = topics;
  if (name !== TRANSFER_TOPIC || from === undefined || to === undefined || topics.length !== 3)
    return null;
  return { from: addressOfTopic(from), to: addressOfTopic(to), amount: uintOf(amount) };
}

/** Only ever compared without regard to case, so it need not carry a checksum. */
function addressOfTopic(topic: Hex): Address {
  return asId<Address>(`0x${topic.slice(26)}`);
}

function plain(to: Address, selector: string, words: readonly string[]): EvmCall {
  return { to, data: data(selector, words), valueWei: 0n };
}

function data(selector: string, words: readonly string[]): Hex {
  return `0x${selector}${words.join('')}`;
}

function addressWord(address: Address): string {
  return address.slice(2).toLowerCase().padStart(64, '0');
}

function numberWord(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
