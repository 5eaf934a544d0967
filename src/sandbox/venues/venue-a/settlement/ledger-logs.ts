import { getAddress, parseEventLogs, type Hex, type Log } from 'viem';
import { asId, type Address, type TokenId } from '../../../../domain/ids.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import { NO_END } from '../../../engine/allowances.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import type { ChainAllowance } from './chain-allowances.ts';

const { collateral, conditionalTokens } = VENUE_A_CHAIN;

/** Collateral or shares that went from one account to another. */
export interface Transfer {
  readonly from: Hex;
  readonly to: Hex;
  readonly holding: 'usdc' | TokenId;
  readonly micros: bigint;
  readonly transactionHash: string;
}

/** An account that gave or took back an allowance of collateral. */
export interface GivenTo {
  readonly account: Address;
  readonly spender: Address;
}

/** Allowances of collateral in logs of a block. */
export function approvalsIn(logs: readonly Log[]): readonly GivenTo[] {
  const given = parseEventLogs({
    abi: TOKEN_ABI,
    eventName: 'Approval',
    logs: logs.filter(({ address }) => getAddress(address) === collateral),
  });
  return given.map(({ args }) => ({
    account: asId<Address>(args.owner),
    spender: asId<Address>(args.spender),
  }));
}

/** Allowances of shares in logs of a block. */
export function operatorsIn(logs: readonly Log[]): readonly ChainAllowance[] {
  const given = parseEventLogs({
    abi: CONDITIONAL_TOKENS_ABI,
    eventName: 'ApprovalForAll',
    logs: logs.filter(({ address }) => getAddress(address) === conditionalTokens),
  });
  return given.map(({ args }) => ({
    account: asId<Address>(args.owner),
    asset: 'shares' as const,
    spender: asId<Address>(args.operator),
    micros: args.approved ? NO_END : 0n,
  }));
}

/** Transfers of collateral and shares in logs of a block, in their order by kind. */
export function transfersIn(logs: readonly Log[]): readonly Transfer[] {
  const paid = parseEventLogs({
    abi: TOKEN_ABI,
    eventName: 'Transfer',
    logs: logs.filter(({ address }) => getAddress(address) === collateral),
  });
  const moved = parseEventLogs({
    abi: CONDITIONAL_TOKENS_ABI,
    eventName: ['TransferSingle', 'TransferBatch'],
    logs: logs.filter(({ address }) => getAddress(address) === conditionalTokens),
  });
  return [
    ...paid.map(
      ({ args, transactionHash }): Transfer => ({
        from: args.from,
        to: args.to,
        holding: 'usdc',
        micros: args.value,
        transactionHash: String(transactionHash),
      }),
    ),
    ...moved.flatMap(({ eventName, args, transactionHash }): readonly Transfer[] => {
      const [ids, values] =
        eventName === 'TransferSingle' ? [[args.id], [args.value]] : [args.ids, args.values];
      return ids.map((id, index) => ({
        from: args.from,
        to: args.to,
        holding: asId<TokenId>(String(id)),
        micros: values[index] ?? 0n,
        transactionHash: String(transactionHash),
      }));
    }),
  ];
}
