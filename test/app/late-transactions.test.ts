import { describe, expect, it } from 'vitest';
import { chainClients, solanaClients } from '../../src/app/chains.ts';
import { lateTransactions } from '../../src/app/late-transactions.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import type { EvmAccounts } from '../../src/ports/evm-account.ts';
import type { EvmChain } from '../../src/ports/evm.ts';
import type { TransactionQueue } from '../../src/services/transactions/transactions.ts';
import { silentMetrics } from '../support/fixtures/wire-venue.ts';

const USER = asId<UserId>('usr_ada');

describe('what a venue is lent of chains', () => {
  it('is the one client of each chain that a node is set for', () => {
    const evm = {} as EvmChain;
    const accounts = {} as EvmAccounts;
    const calls = { post: async () => '{}', close: async () => undefined };
    const solana = solanaClients(calls, silentMetrics);
    const chain = chainClients({ solana, evm: { BASE: evm }, evmAccounts: { BASE: accounts } });
    expect(chain('SOLANA')).toBe(solana);
    expect(chain('BASE')).toEqual({ evm, accounts });
    expect(() => chain('BSC')).toThrow('no node of the chain BSC');
    expect(() => chainClients({})('SOLANA')).toThrow('no node of the chain SOLANA');
  });

  it('holds the queues of transactions from the moment that they are joined', () => {
    const asked: string[] = [];
    const held = lateTransactions();
    expect(() => held.find(USER, 'k')).toThrow('joined before a venue trades');
    const queue: Partial<TransactionQueue> = {
      find(userId, key) {
        asked.push(`${userId} ${key}`);
        return null;
      },
    };
    held.join(queue as TransactionQueue);
    expect([held.find(USER, 'k'), asked]).toEqual([null, [`${USER} k`]]);
  });
});
