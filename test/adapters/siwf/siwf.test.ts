import { assert, constantFrom, nat, property, string } from 'fast-check';
import { encodeAbiParameters, encodeFunctionData, encodeFunctionResult } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { parseSiwfMessage } from '../../../src/adapters/siwf/message.ts';
import {
  ID_REGISTRY,
  KEY_REGISTRY,
  REGISTRY_ABI,
  createSocialRegistry,
} from '../../../src/adapters/siwf/registry.ts';
import { createSiwf } from '../../../src/adapters/siwf/siwf.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { EvmChain, Hex } from '../../../src/ports/evm.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const TERMS = {
  domain: 'predictd.example',
  uri: 'https://predictd.example/sign-in',
  nonce: 'k3j4h5g6f7d8s9a0q',
  nowMs: NOW_MS,
};
const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`);

const LINES = [
  'predictd.example wants you to sign in with your Ethereum account:',
  owner.address,
  '',
  'Farcaster Auth',
  '',
  'URI: https://predictd.example/sign-in',
  'Version: 1',
  'Chain ID: 10',
  'Nonce: k3j4h5g6f7d8s9a0q',
  'Issued At: 2026-11-21T11:59:30.000Z',
  'Expiration Time: 2026-11-21T12:09:30.000Z',
  'Not Before: 2026-11-21T11:59:30Z',
  'Request ID: r-1',
  'Resources:',
  '- farcaster://fid/77',
];
const MESSAGE = LINES.join('\n');
const swap = (from: string | RegExp, to: string): string => MESSAGE.replace(from, to);

/** A chain with both registries: `owner` is the custody address of 77, and what `keys` says. */
function chainOf(
  options: {
    readonly keys?: readonly [number, number];
    readonly contract?: (hash: string, signature: string) => Hex;
    readonly fails?: boolean;
  } = {},
): Pick<EvmChain, 'call' | 'hasCode'> & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    hasCode: async () => options.contract !== undefined,
    async call(to, data) {
      asked.push(String(to));
      if (options.fails === true)
        throw new AppError('chain_unavailable', 'no node there', { retryable: true });
      if (to === ID_REGISTRY) {
        const isOwner =
          data ===
          encodeFunctionData({ abi: REGISTRY_ABI, functionName: 'idOf', args: [owner.address] });
        return encodeFunctionResult({
          abi: REGISTRY_ABI,
          functionName: 'idOf',
          result: isOwner ? 77n : 0n,
        });
      }
      if (to === KEY_REGISTRY) {
        const isAsked =
          data ===
          encodeFunctionData({
            abi: REGISTRY_ABI,
            functionName: 'keyDataOf',
            args: [77n, encodeAbiParameters([{ type: 'address' }], [stranger.address])],
          });
        return encodeFunctionResult({
          abi: REGISTRY_ABI,
          functionName: 'keyDataOf',
          result: isAsked ? (options.keys ?? [0, 0]) : [0, 0],
        });
      }
      if (options.contract === undefined) return '0x';
      return options.contract('', data);
    },
  };
}

async function verdict(
  message: string,
  {
    chain = chainOf(),
    signer = owner,
    signature,
  }: { chain?: ReturnType<typeof chainOf>; signer?: typeof owner; signature?: string } = {},
): Promise<string> {
  const signed = signature ?? (await signer.signMessage({ message }));
  return createSiwf(createSocialRegistry(chain))
    .verify({ message, signature: signed }, TERMS)
    .catch((error: unknown) => (error instanceof AppError ? error.code : String(error)));
}

describe('a sign-in message', () => {
  it('is taken when it is what was asked for, with and without what it need not say', async () => {
    const short = LINES.filter((line) => !/^(Expiration|Not Before|Request)/.test(line)).join('\n');
    expect(
      await Promise.all([
        verdict(MESSAGE),
        verdict(short),
        verdict(swap('Farcaster Auth', 'Farcaster Connect')),
        verdict(swap('- farcaster', '- https://elsewhere.example/terms\n- farcaster')),
      ]),
    ).toEqual(['77', '77', '77', '77']);
  });

  it.each<[string, string]>([
    ['another domain', swap('predictd.example wants', 'predictd.example.evil wants')],
    ['a port too many', swap('predictd.example wants', 'predictd.example:8080 wants')],
    ['a scheme in front', `https://${MESSAGE}`],
    [
      'another page',
      swap('URI: https://predictd.example/sign-in', 'URI: https://predictd.example/other'),
    ],
    ['another nonce', swap('k3j4h5g6f7d8s9a0q', 'k3j4h5g6f7d8s9a0z')],
    ['a nonce in other letters', swap('k3j4h5g6f7d8s9a0q', 'K3J4H5G6F7D8S9A0Q')],
    ['another version', swap('Version: 1', 'Version: 2')],
    ['another chain', swap('Chain ID: 10', 'Chain ID: 1')],
    ['another purpose', swap('Farcaster Auth', 'Give me everything')],
    ['no purpose', swap('Farcaster Auth\n\n', '\n')],
    [
      'an end that has passed',
      swap(
        'Expiration Time: 2026-11-21T12:09:30.000Z',
        'Expiration Time: 2026-11-21T12:00:00.000Z',
      ),
    ],
    [
      'a beginning to come',
      swap('Not Before: 2026-11-21T11:59:30Z', 'Not Before: 2026-11-21T12:30:00Z'),
    ],
    [
      'a date to come',
      swap('Issued At: 2026-11-21T11:59:30.000Z', 'Issued At: 2026-11-21T12:30:00.000Z'),
    ],
    ['an invalid time', swap('Issued At: 2026-11-21T11:59:30.000Z', 'Issued At: yesterday')],
    [
      'an end that is no time',
      swap('Expiration Time: 2026-11-21T12:09:30.000Z', 'Expiration Time: never'),
    ],
    ['no fid', swap('farcaster://fid/77', 'https://elsewhere.example')],
    ['two fids', `${MESSAGE}\n- farcaster://fid/78`],
    ['the fid zero', swap('fid/77', 'fid/0')],
    ['a fid with a zero in front', swap('fid/77', 'fid/077')],
    ['the fid of another user', swap('fid/77', 'fid/78')],
    ['a line too many', `${MESSAGE}\nanything`],
    ['fields in another order', swap('Version: 1\nChain ID: 10', 'Chain ID: 10\nVersion: 1')],
    ['an address in small letters', swap(owner.address, owner.address.toLowerCase())],
    ['the address of another user', swap(owner.address, stranger.address)],
    ['line ends of another system', MESSAGE.replaceAll('\n', '\r\n')],
    ['nothing', ''],
  ])('is refused with %s, though it is signed', async (_what, message) => {
    expect(await verdict(message)).toBe('sign_in_refused');
  });

  it.each([
    ['of another', undefined],
    ['cut short', '0x1234'],
    ['of zeros', `0x${'00'.repeat(65)}`],
    ['in other letters', 'signature'],
    ['too long', `0x${'ab'.repeat(3_000)}`],
  ])('is refused with a signature %s', async (_what, signature) => {
    expect(
      await verdict(MESSAGE, {
        signer: stranger,
        ...(signature === undefined ? {} : { signature }),
      }),
    ).toBe('sign_in_refused');
  });

  it('costs no call to the chain before its signature holds', async () => {
    const chain = chainOf();
    await verdict(swap('Version: 1', 'Version: 2'), { chain });
    await verdict(MESSAGE, { chain, signer: stranger });
    expect(chain.asked).toEqual([]);
  });

  it.each<[readonly [number, number], string]>([
    [[1, 2], '77'],
    [[2, 2], 'sign_in_refused'],
    [[0, 2], 'sign_in_refused'],
    [[1, 1], 'sign_in_refused'],
  ])(
    'speaks for the fid by a registered key only in its state and of its type: %j',
    async (keys, outcome) => {
      expect(
        await verdict(swap(owner.address, stranger.address), {
          signer: stranger,
          chain: chainOf({ keys }),
        }),
      ).toBe(outcome);
    },
  );

  it.each<[string, () => Hex, string]>([
    ['takes', () => `0x1626ba7e${'00'.repeat(28)}`, '77'],
    ['takes no', () => `0xffffffff${'00'.repeat(28)}`, 'sign_in_refused'],
    [
      'reverts on',
      () => {
        throw new AppError('chain_reverted', 'no');
      },
      'sign_in_refused',
    ],
  ])('of a contract counts when that %s signature', async (_what, contract, outcome) => {
    expect(await verdict(MESSAGE, { signature: '0xabcd', chain: chainOf({ contract }) })).toBe(
      outcome,
    );
  });

  it('L2: is no refusal when the chain does not answer, or the registry is not there', async () => {
    const nowhere: ReturnType<typeof chainOf> = { ...chainOf(), call: async () => '0x' };
    expect([
      await verdict(MESSAGE, { chain: chainOf({ fails: true }) }),
      await verdict(MESSAGE, { chain: nowhere }),
    ]).toEqual(['sign_in_unavailable', 'sign_in_unavailable']);
  });

  it.each(['predictd:8787', '[::1]:8787', '127.0.0.1:8787', 'my_host.internal'])(
    'is read where the service is at %s, as at a name with dots',
    (host) => {
      const text = MESSAGE.replaceAll('predictd.example', host);
      expect(parseSiwfMessage(text)?.domain).toBe(host);
    },
  );

  it('is read whole or not at all, whatever it holds', () => {
    expect(parseSiwfMessage(MESSAGE)).toEqual({
      domain: 'predictd.example',
      address: asId<Address>(owner.address),
      statement: 'Farcaster Auth',
      uri: 'https://predictd.example/sign-in',
      version: '1',
      chainId: 10,
      nonce: 'k3j4h5g6f7d8s9a0q',
      issuedAtMs: NOW_MS - 30_000,
      expiresAtMs: NOW_MS + 570_000,
      notBeforeMs: NOW_MS - 30_000,
      resources: ['farcaster://fid/77'],
    });
    assert(
      property(nat(LINES.length - 1), constantFrom('drop', 'double', 'blank'), (at, how) => {
        const changed = LINES.flatMap((line, index) =>
          index !== at
            ? [line]
            : how === 'drop'
              ? []
              : how === 'double'
                ? [line, line]
                : [line, ''],
        );
        const optional = /^(Expiration|Not Before|Request|- )/.test(LINES[at] ?? '');
        const parsed = parseSiwfMessage(changed.join('\n'));
        // dropping what need not be there, or naming a resource twice, leaves a message; a fid
        // named twice is refused by the check
        return (
          parsed === null ||
          (optional && how === 'drop') ||
          ((LINES[at] ?? '').startsWith('- ') && how === 'double')
        );
      }),
    );
    assert(
      property(
        string({ unit: 'binary', maxLength: 400 }),
        (text) => parseSiwfMessage(text) === null,
      ),
    );
  });
});
