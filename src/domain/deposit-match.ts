import {
  isDepositOver,
  type BridgeTransfer,
  type BridgeTransferStatus,
  type DepositRecord,
} from './deposit.ts';

/** Which transfer the bridge tells of is which deposit on record. */
export interface DepositMatch {
  readonly pairs: readonly { readonly record: DepositRecord; readonly transfer: BridgeTransfer }[];
  /** Transfers not on record, in the bridge's order. */
  readonly fresh: readonly BridgeTransfer[];
  /** Records the bridge does not tell of. */
  readonly unseen: readonly DepositRecord[];
}

/** How far along a status is. */
const RANKS: Readonly<Record<BridgeTransferStatus, number>> = {
  detected: 0,
  processing: 1,
  origin_confirmed: 2,
  submitted: 3,
  completed: 4,
  failed: 4,
};

type Test = (record: DepositRecord, transfer: BridgeTransfer) => boolean;

/**
 * Pairs transfers with deposits. The bridge gives its transfers no name, and early neither hash nor
 * time, so they are distinguished by what they are (chain, token, amount) and then by the surest
 * sign there is: the hash of the credit, the moment of creation, and for those without either by
 * how far they have come, since a transfer goes forward. Two of the same amount may change places
 * while nothing distinguishes them, and nothing is lost by it. The order in which the bridge lists
 * them does not matter.
 */
export function matchTransfers(
  records: readonly DepositRecord[],
  transfers: readonly BridgeTransfer[],
): DepositMatch {
  const pairs: { record: DepositRecord; transfer: BridgeTransfer }[] = [];
  const open = new Map<string, { records: DepositRecord[]; transfers: BridgeTransfer[] }>();
  const groupOf = (transfer: BridgeTransfer) => {
    const key = kindOf(transfer);
    const group = open.get(key) ?? { records: [], transfers: [] };
    open.set(key, group);
    return group;
  };
  for (const record of records) groupOf(record.transfer).records.push(record);
  for (const transfer of transfers) groupOf(transfer).transfers.push(transfer);
  for (const group of open.values()) {
    group.records.sort((one, other) => RANKS[other.transfer.status] - RANKS[one.transfer.status]);
    group.transfers.sort((one, other) => RANKS[other.status] - RANKS[one.status]);
    for (const test of SIGNS) pairs.push(...takePairs(group, test));
  }
  const groups = [...open.values()];
  const fresh = new Set(groups.flatMap((group) => group.transfers));
  return {
    pairs,
    fresh: transfers.filter((transfer) => fresh.has(transfer)),
    unseen: groups.flatMap((group) => group.records),
  };
}

/** From the surest sign to the weakest. */
const SIGNS: readonly Test[] = [
  (record, transfer) => isSameHash(record, transfer) && isSameMoment(record, transfer),
  (record, transfer) => isSameHash(record, transfer) && isMomentUnsaid(record, transfer),
  // A credit that was sent again has another hash.
  (record, transfer) => isSameMoment(record, transfer),
  // What ended without hash and moment is reported again unchanged; anything else is a
  // payment of its own.
  (record, transfer) =>
    isDepositOver(record.state) &&
    mayBeSame(record, transfer) &&
    transfer.status === record.transfer.status,
  (record, transfer) =>
    !isDepositOver(record.state) &&
    mayBeSame(record, transfer) &&
    RANKS[transfer.status] >= RANKS[record.transfer.status],
  (record, transfer) => !isDepositOver(record.state) && mayBeSame(record, transfer),
];

function takePairs(
  group: { records: DepositRecord[]; transfers: BridgeTransfer[] },
  test: Test,
): { record: DepositRecord; transfer: BridgeTransfer }[] {
  const taken: { record: DepositRecord; transfer: BridgeTransfer }[] = [];
  group.records = group.records.filter((record) => {
    const index = group.transfers.findIndex((transfer) => test(record, transfer));
    const [transfer] = index === -1 ? [] : group.transfers.splice(index, 1);
    if (transfer !== undefined) taken.push({ record, transfer });
    return transfer === undefined;
  });
  return taken;
}

function kindOf({ chainId, tokenAddress, amount }: BridgeTransfer): string {
  return `${chainId} ${tokenAddress.startsWith('0x') ? tokenAddress.toLowerCase() : tokenAddress} ${amount}`;
}

function isSameHash(
  { transfer: known }: DepositRecord,
  { transactionHash }: BridgeTransfer,
): boolean {
  return transactionHash !== null && known.transactionHash === transactionHash;
}

function isSameMoment(
  { transfer: known }: DepositRecord,
  { createdAtMs }: BridgeTransfer,
): boolean {
  return createdAtMs !== null && known.createdAtMs === createdAtMs;
}

function isMomentUnsaid(
  { transfer: known }: DepositRecord,
  { createdAtMs }: BridgeTransfer,
): boolean {
  return createdAtMs === null || known.createdAtMs === null;
}

/** Of those left over by the surer signs: what is the same in both has been paired by then. */
function mayBeSame(record: DepositRecord, transfer: BridgeTransfer): boolean {
  return (
    isMomentUnsaid(record, transfer) &&
    (transfer.transactionHash === null || record.transfer.transactionHash === null)
  );
}
