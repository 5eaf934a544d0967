import { createHmac } from 'node:crypto';
import type { Address } from '../../domain/ids.ts';
import type { Random } from '../../ports/random.ts';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';

/** What a key may do: trade, read only, or attribute orders to a builder. */
type ApiKeyKind = 'trading' | 'readonly' | 'builder';

/** One API key of an account. Plain JSON: the sandbox keeps its keys with its state. */
export interface ApiKey {
  readonly apiKey: string;
  /** Base64url of 32 bytes. */
  readonly secret: string;
  /** 64 hex digits. */
  readonly passphrase: string;
  readonly address: Address;
  readonly nonce: string;
  readonly kind: ApiKeyKind;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/** The venue's API keys (venue_a.md sections 2.1 and 2.2). */
export interface ApiKeys {
  /** A new trading key for address and nonce; null when one exists already. */
  create(address: Address, nonce: string): ApiKey | null;
  /** The trading key of address and nonce; null without one. */
  derive(address: Address, nonce: string): ApiKey | null;
  /** One more key of another kind; null when the address has too many. */
  issue(address: Address, kind: 'readonly' | 'builder'): ApiKey | null;
  /** A key that is in force; null when unknown or revoked. */
  find(apiKey: string): ApiKey | null;
  /** Keys in force of one address and kind. */
  list(address: Address, kind: ApiKeyKind): readonly ApiKey[];
  /** Ends a key of this address; false without one in force. */
  revoke(address: Address, apiKey: string): boolean;
  /** Every key the address ever had: its orders and trades stay its own. */
  ownersOf(address: Address): ReadonlySet<string>;
  /** Every key, revoked ones included. */
  all(): readonly ApiKey[];
  /** Takes over a saved key. */
  load(key: ApiKey): void;
}

/**
 * Makes the venue's key registry: the credentials of an address and nonce always come out the same.
 */
export function createApiKeys({
  random,
  nowMs,
  changed,
}: {
  readonly random: Random;
  nowMs(): number;
  /** Called after each change. */
  changed(key: ApiKey): void;
}): ApiKeys {
  const root = random.bytes(32);
  const keys = new Map<string, ApiKey>();
  const owners = new Map<Address, Set<string>>();
  const store = (key: ApiKey) => {
    keys.set(key.apiKey, key);
    owners.set(key.address, (owners.get(key.address) ?? new Set()).add(key.apiKey));
    return key;
  };
  const report = (key: ApiKey) => {
    changed(store(key));
    return key;
  };
  const of = (address: Address) =>
    [...(owners.get(address) ?? [])].flatMap((apiKey) => keys.get(apiKey) ?? []);
  const inForce = (address: Address, kind: ApiKeyKind) =>
    of(address).filter((key) => key.kind === kind && key.revokedAtMs === null);
  const make = (address: Address, kind: ApiKeyKind, nonce: string) => {
    const generation = of(address).filter((key) => key.kind === kind && key.nonce === nonce).length;
    const text = (part: string) =>
      createHmac('sha256', root).update(
        `${kind}:${address.toLowerCase()}:${nonce}:${generation}:${part}`,
      );
    return report({
      apiKey: uuidOf(text('key').digest()),
      secret: base64Url(text('secret').digest()),
      passphrase: text('passphrase').digest('hex'),
      address,
      nonce,
      kind,
      createdAtMs: nowMs(),
      revokedAtMs: null,
    });
  };
  const derive = (address: Address, nonce: string) =>
    inForce(address, 'trading').find((key) => key.nonce === nonce) ?? null;
  return {
    derive,
    create: (address, nonce) =>
      derive(address, nonce) === null && of(address).length < VENUE_MODEL.apiKeysPerAddressMaximum
        ? make(address, 'trading', nonce)
        : null,
    issue: (address, kind) =>
      of(address).length < VENUE_MODEL.apiKeysPerAddressMaximum ? make(address, kind, '') : null,
    find(apiKey) {
      const key = keys.get(apiKey);
      return key === undefined || key.revokedAtMs !== null ? null : key;
    },
    list: inForce,
    revoke(address, apiKey) {
      const key = keys.get(apiKey);
      if (key === undefined || key.address !== address || key.revokedAtMs !== null) return false;
      report({ ...key, revokedAtMs: nowMs() });
      return true;
    },
    ownersOf: (address) => owners.get(address) ?? new Set(),
    all: () => [...keys.values()],
    load: (key) => void store(key),
  };
}

function base64Url(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
