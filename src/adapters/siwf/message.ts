import { getAddress, isAddress } from 'viem';
import { asId, type Address } from '../../domain/ids.ts';

/** What a sign-in message says (EIP-4361), with times as epoch ms. */
export interface SiwfMessage {
  readonly domain: string;
  readonly address: Address;
  readonly statement: string;
  readonly uri: string;
  readonly version: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number | null;
  readonly notBeforeMs: number | null;
  readonly resources: readonly string[];
}

const FIRST_LINE = /^([^\s/?#@]{1,255}) wants you to sign in with your Ethereum account:$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads a message line by line, in the order the standard fixes; null for anything else, and for
 * one without a statement, which this protocol always has. Every line must be understood: what a
 * person signed is all of it.
 */
export function parseSiwfMessage(text: string): SiwfMessage | null {
  const lines = text.split('\n');
  const take = createTaker(lines);
  const [, domain] = FIRST_LINE.exec(take.line() ?? '') ?? [];
  const address = take.line() ?? '';
  if (
    domain === undefined ||
    !isAddress(address) ||
    getAddress(address) !== address ||
    take.line() !== ''
  )
    return null;
  const statement = take.line() ?? '';
  if (statement === '' || take.line() !== '') return null;
  const uri = take.field('URI');
  const version = take.field('Version');
  const chainId = take.field('Chain ID');
  const nonce = take.field('Nonce');
  const issuedAtMs = readTime(take.field('Issued At'));
  const expiresAt = take.field('Expiration Time');
  const notBefore = take.field('Not Before');
  take.field('Request ID');
  const resources = takeResources(take);
  const [expiresAtMs, notBeforeMs] = [expiresAt, notBefore].map((time) =>
    time === null ? null : readTime(time),
  );
  if (
    uri === null ||
    version === null ||
    chainId === null ||
    !/^\d{1,15}$/.test(chainId) ||
    nonce === null ||
    !/^[a-zA-Z0-9]{8,}$/.test(nonce)
  )
    return null;
  if (
    issuedAtMs === null ||
    (expiresAt !== null && expiresAtMs === null) ||
    (notBefore !== null && notBeforeMs === null) ||
    !take.isDone()
  )
    return null;
  return {
    domain,
    address: asId<Address>(address),
    statement,
    uri,
    version,
    chainId: Number(chainId),
    nonce,
    issuedAtMs,
    expiresAtMs: expiresAtMs ?? null,
    notBeforeMs: notBeforeMs ?? null,
    resources,
  };
}

interface Taker {
  line(): string | null;
  peek(): string | null;
  /** The value of the next line if it is this field's, and null, taking nothing, if it is not. */
  field(name: string): string | null;
  isDone(): boolean;
}

function createTaker(lines: readonly string[]): Taker {
  let at = 0;
  const peek = (): string | null => lines[at] ?? null;
  return {
    peek,
    line() {
      const line = peek();
      at += 1;
      return line;
    },
    field(name) {
      const line = peek();
      if (line === null || !line.startsWith(`${name}: `)) return null;
      at += 1;
      return line.slice(name.length + 2);
    },
    isDone: () => at >= lines.length,
  };
}

function takeResources(take: Taker): readonly string[] {
  if (take.peek() !== 'Resources:') return [];
  take.line();
  const resources: string[] = [];
  while (take.peek()?.startsWith('- ') === true) resources.push((take.line() ?? '').slice(2));
  return resources;
}

function readTime(text: string | null): number | null {
  if (text === null || !TIME.test(text)) return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}
