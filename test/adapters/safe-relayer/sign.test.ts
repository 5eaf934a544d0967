import { decodeFunctionData, encodeFunctionData, erc20Abi, maxUint256, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  hashSafeTx,
  signCreate,
  signExecute,
  type SafeSigning,
} from '../../../src/adapters/safe-relayer/sign.ts';
import { submitBody } from '../../../src/adapters/safe-relayer/submit-body.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { EvmCall } from '../../../src/ports/evm.ts';
import { holdKeys } from '../../support/key-holder.ts';

const USER = asId<UserId>('usr_signer');
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const SAFE = asId<Address>('0xd93B25cb943D14d0d34FBaF01Fc93a0f8b5F6E47');
const FACTORY = asId<Address>('0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b');
const MULTISEND = asId<Address>('0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761');
const COLLATERAL = asId<Address>('0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB');
const APPROVE: EvmCall = {
  to: COLLATERAL,
  data: encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: ['0xE111180000d2663C0091e4f400237545B87B996B', maxUint256],
  }),
  valueWei: 0n,
};
const multisendAbi = parseAbi(['function multiSend(bytes transactions) payable']);

const signing: SafeSigning = {
  vault: holdKeys({ [USER]: KEY }),
  contracts: { chainId: 137, factory: FACTORY, multisend: MULTISEND },
  addressOf: () => SAFE,
};

describe('actions of a Safe', () => {
  it('signs a deployment as the published vector has it', () => {
    expect(signCreate(signing, USER)).toEqual({
      kind: 'create',
      owner: OWNER,
      safe: SAFE,
      signature:
        '0xe3e791c24134b7bebe93b4771bd07c7fe7bbe115eeb0bf629ac3b7a435e7ac8d05f979729d873f7d0e16205becf48ee450aa382bc28c65eedcd6454e81d81f921b',
    });
  });

  it('signs one call as the published vector has it', () => {
    expect(signExecute(signing, USER, { calls: [APPROVE], nonce: 0, note: 'allowance' })).toEqual({
      kind: 'execute',
      owner: OWNER,
      safe: SAFE,
      nonce: 0,
      call: APPROVE,
      operation: 0,
      note: 'allowance',
      safeTxHash: '0x2d1ea033e6fc9ab1d89ac4ba2c96b1c772ee9158585d0f4be879e520b7a177e0',
      signature:
        '0x851dde99780b39f630a4c14d230f1ebc5a5267e3c184a9cdc329c5c86e9c06de74b86da3dc9f50748652bc6769e7daa0472f5cadcfc67180b33f1029f6afbc1120',
    });
  });

  it('L1: gives the same bytes for the same action each time', () => {
    const bodies = [0, 1].map(() =>
      submitBody(
        signExecute(signing, USER, { calls: [APPROVE, APPROVE], nonce: 3, note: 'twice' }),
        FACTORY,
      ),
    );
    expect(bodies[0]).toBe(bodies[1]);
  });

  it('sends several calls as one batch through the multi-send contract', () => {
    const action = signExecute(signing, USER, {
      calls: [APPROVE, { to: SAFE, data: '0x', valueWei: 5n }],
      nonce: 1,
      note: '',
    });
    if (action.kind !== 'execute') throw new Error('an execution was signed');
    const { args } = decodeFunctionData({ abi: multisendAbi, data: action.call.data });
    expect([action.call.to, action.operation, action.call.valueWei]).toEqual([MULTISEND, 1, 0n]);
    expect(args[0]).toBe(
      `0x00${COLLATERAL.slice(2).toLowerCase()}${'0'.repeat(64)}${(68).toString(16).padStart(64, '0')}${APPROVE.data.slice(2)}` +
        `00${SAFE.slice(2).toLowerCase()}${(5).toString(16).padStart(64, '0')}${'0'.repeat(64)}`,
    );
    expect(action.safeTxHash).toBe(
      hashSafeTx(137, { safe: SAFE, call: action.call, operation: 1, nonce: 1 }),
    );
  });

  it('sends native coin inside a batch, since the wire has no field for it', () => {
    const action = signExecute(signing, USER, {
      calls: [{ to: SAFE, data: '0x', valueWei: 7n }],
      nonce: 0,
      note: '',
    });
    expect(action).toMatchObject({ operation: 1, call: { to: MULTISEND, valueWei: 0n } });
  });

  it('refuses an empty batch, a batch too long, a note too long and a user whose key is not loaded', () => {
    const refused = (calls: number, note: string) => () =>
      signExecute(signing, USER, {
        calls: Array.from({ length: calls }, () => APPROVE),
        nonce: 0,
        note,
      });
    expect(refused(0, '')).toThrowError('a batch of 0 calls');
    expect(refused(51, '')).toThrowError('a batch of 51 calls');
    expect(refused(1, 'x'.repeat(501))).toThrowError('a note of 501 characters');
    expect(() => signCreate(signing, asId<UserId>('usr_other'))).toThrowError('not loaded');
  });
});
