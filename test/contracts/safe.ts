import { encodeFunctionData, erc20Abi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asId, type Address, type UserId } from '../../src/domain/ids.ts';
import type { EvmCall, EvmChain, Hex } from '../../src/ports/evm.ts';
import type {
  SafeTransactionStatus,
  Safes,
  SignedSafeTransaction,
} from '../../src/adapters/safe-relayer/safe-transaction.ts';

/** Safes under test, and what the world does to them. */
export interface SafesUnderTest {
  readonly safes: Safes;
  readonly chain: EvmChain;
  readonly token: Address;
  /** A user whose Safe is untouched. */
  newUser(): UserId;
  fund(safe: Address, amount: bigint): Promise<void>;
  /** Lets the relayer and the chain get on. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

const FRIEND = '0x2222222222222222222222222222222222222222';

/** What every Safe behind the port keeps to. */
export function safeContract(name: string, open: () => Promise<SafesUnderTest>): void {
  describe(`Safes: ${name}`, () => {
    let world: SafesUnderTest;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world.close());

    const transfer = (amount: bigint): EvmCall => ({
      to: world.token,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [FRIEND as Hex, amount],
      }),
      valueWei: 0n,
    });
    const held = async (safe: Address) =>
      (await world.chain.balances(safe, [world.token])).tokens[0];
    const submit = (signed: SignedSafeTransaction) =>
      world.safes.submit(world.safes.bodyOf(signed));
    const sinceBlock = async () => (await world.chain.head()).blockNumber;

    async function decided(
      action: SignedSafeTransaction,
      since: number,
    ): Promise<SafeTransactionStatus> {
      for (;;) {
        const status = await world.safes.status(action, since);
        if (status.kind !== 'open') return status;
        await world.pass();
      }
    }

    async function standing(): Promise<{ readonly user: UserId; readonly safe: Address }> {
      const user = world.newUser();
      const since = await sinceBlock();
      const create = world.safes.signCreate(user);
      await submit(create);
      await decided(create, since);
      await world.fund(create.safe, 100n);
      return { user, safe: create.safe };
    }

    it('gives each owner one Safe, and signs the same bytes each time', async () => {
      const [one, other] = [world.newUser(), world.newUser()];
      const create = world.safes.signCreate(one);
      expect(world.safes.signCreate(one)).toEqual(create);
      expect(world.safes.addressOf(create.owner)).toBe(create.safe);
      expect(world.safes.signCreate(other).safe).not.toBe(create.safe);
      const sign = (nonce: number) =>
        world.safes.signExecute(one, { calls: [transfer(1n), transfer(2n)], nonce, note: 'twice' });
      expect(sign(0)).toEqual(sign(0));
      expect(sign(1)).not.toMatchObject({
        safeTxHash: (sign(0) as Extract<SignedSafeTransaction, { kind: 'execute' }>).safeTxHash,
      });
    });

    it('L2: says of a deployment that it is open, then done, and done earlier to whoever looks later', async () => {
      const create = world.safes.signCreate(world.newUser());
      const since = await sinceBlock();
      expect([
        await world.safes.status(create, since),
        await world.safes.isDeployed(create.safe),
        await world.safes.nonce(create.safe),
      ]).toEqual([{ kind: 'open' }, false, 0]);
      expect((await submit(create)).kind).toBe('accepted');
      expect(await decided(create, since)).toMatchObject({ kind: 'done' });
      expect(await world.safes.isDeployed(create.safe)).toBe(true);
      await world.fund(create.safe, 1n);
      expect(await world.safes.status(create, await sinceBlock())).toEqual({
        kind: 'done_earlier',
      });
    });

    it('L1: executes a batch as a whole and once, however often its bytes are sent', async () => {
      const { user, safe } = await standing();
      const since = await sinceBlock();
      const action = world.safes.signExecute(user, {
        calls: [transfer(1n), transfer(2n)],
        nonce: await world.safes.nonce(safe),
        note: 'two',
      });
      expect((await submit(action)).kind).toBe('accepted');
      expect(await decided(action, since)).toMatchObject({
        kind: 'done',
        transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      });
      await submit(action);
      await world.pass();
      expect([await world.safes.nonce(safe), await held(safe)]).toEqual([1, 97n]);
    });

    it('L2: says superseded of an action whose nonce another one used', async () => {
      const { user, safe } = await standing();
      const since = await sinceBlock();
      const sign = (amount: bigint) =>
        world.safes.signExecute(user, { calls: [transfer(amount)], nonce: 0, note: `${amount}` });
      const [winner, loser] = [sign(5n), sign(50n)];
      await submit(winner);
      expect((await decided(winner, since)).kind).toBe('done');
      expect(await world.safes.status(loser, since)).toMatchObject({
        kind: 'failed',
        cause: 'superseded',
      });
      expect(await held(safe)).toBe(95n);
    });

    it('knows no action by an id the relayer never gave', async () => {
      expect(await world.safes.lookup('0190b317-a1d3-7bec-9b91-eeb6dcd3a620')).toEqual({
        kind: 'absent',
      });
    });
  });
}

/** A user of a name. */
export const userNamed = (name: string): UserId => asId<UserId>(`usr_${name}`);
