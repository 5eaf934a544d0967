import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorldUrls } from '../../src/sandbox/world-settings.ts';
import { eventually } from '../support/eventually.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PARENT = fileURLToPath(new URL('sandbox-parent.mjs', import.meta.url));
const USER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const started: ChildProcess[] = [];
let folder: string;

beforeEach(() => {
  // The compiled daemon is what is killed here; `npm test` compiles before it runs.
  expect(existsSync(join(DIST, 'src/sandbox/main.js'))).toBe(true);
  folder = mkdtempSync(join(tmpdir(), 'predictd-sandbox-'));
});

afterEach(() => {
  for (const parent of started.splice(0)) parent.kill('SIGKILL');
  // The chains of a killed sandbox write their last state for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

/**
 * Two starts of a sandbox with its chains, each of some seconds, and of many where other tests run
 * beside.
 */
const STARTS = { timeout: 600_000 };

describe('sandbox process', STARTS, () => {
  it('L9: ends when its parent is killed, and the next one has every acknowledged deposit', async () => {
    const first = await startParent();
    for (let turn = 0; turn < 5; turn += 1) expect(await grant(first.urls, '10')).toBe(200);
    first.parent.kill('SIGKILL');
    await untilGone(first.pid);
    const second = await startParent();
    expect(await collateral(second.urls)).toEqual(Array.from({ length: 5 }, () => 10));
    second.parent.kill('SIGTERM');
    await untilGone(second.pid);
  });

  it('loses nothing that was acknowledged when parent and child are killed together', async () => {
    const first = await startParent();
    expect(await grant(first.urls, '7.5')).toBe(200);
    process.kill(first.pid, 'SIGKILL');
    first.parent.kill('SIGKILL');
    await untilGone(first.pid);
    const second = await startParent();
    expect(await collateral(second.urls)).toEqual([7.5]);
  });

  it('L9: takes its chains with it when its parent is killed, and goes on with them as they were', async () => {
    const first = await startParent();
    const before = chainsOf(first.urls);
    const mined = await rpc(before.polygonRpc, 'eth_getBlockByNumber', ['latest', false]);
    await rpc(before.baseRpc, 'anvil_setBalance', [USER, '0x4d']);
    await rpc(before.baseRpc, 'evm_mine', []);
    first.parent.kill('SIGKILL');
    await untilGone(first.pid);
    for (const url of [before.polygonRpc, before.baseRpc]) await untilSilent(url);
    const second = await startParent();
    const after = chainsOf(second.urls);
    expect(
      await rpc(after.polygonRpc, 'eth_getBlockByNumber', [blockNumber(mined), false]),
    ).toMatchObject({ hash: blockHash(mined) });
    expect(await rpc(after.baseRpc, 'eth_getBalance', [USER, 'latest'])).toBe('0x4d');
    second.parent.kill('SIGTERM');
    await untilGone(second.pid);
    for (const url of [after.polygonRpc, after.baseRpc]) await untilSilent(url);
  });

  it('says why it did not start', async () => {
    const first = await startParent();
    first.parent.kill('SIGTERM');
    await untilGone(first.pid);
    await expect(startParent(2)).rejects.toThrow('holds the sandbox of seed 1, not 2');
  });
});

async function startParent(
  seed = 1,
): Promise<{ readonly parent: ChildProcess; readonly urls: WorldUrls; readonly pid: number }> {
  const parent = spawn(process.execPath, [PARENT, DIST, folder, String(seed)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(parent);
  const line = await new Promise<string>((resolve, reject) => {
    let said = '';
    let complaint = '';
    parent.stdout.on('data', (chunk) => {
      said += String(chunk);
      if (said.includes('\n')) resolve(said);
    });
    parent.stderr.on('data', (chunk) => (complaint += String(chunk)));
    parent.on('exit', () => reject(new Error(complaint)));
  });
  // what sandbox-parent.mjs prints
  return { parent, ...(JSON.parse(line) as { urls: WorldUrls; pid: number }) };
}

function chainsOf({ chains }: WorldUrls): NonNullable<WorldUrls['chains']> {
  if (chains === null) throw new Error('a world in a process of its own has chains');
  return chains;
}

async function rpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (JSON.parse(await response.text()) as { result: unknown }).result; // an answer of JSON-RPC
}

function blockNumber(block: unknown): unknown {
  return (block as { number: string }).number; // a block in JSON-RPC
}

function blockHash(block: unknown): unknown {
  return (block as { hash: string }).hash; // a block in JSON-RPC
}

/** Waits until no server answers there. */
function untilSilent(url: string): Promise<void> {
  return eventually(() => expect(rpc(url, 'eth_chainId', [])).rejects.toThrow('fetch failed'));
}

async function grant(urls: WorldUrls, usdc: string): Promise<number> {
  const response = await fetch(`${urls.venues.venue_a.faucet}/faucet`, {
    method: 'POST',
    body: JSON.stringify({ address: USER, usdc }),
  });
  return response.status;
}

async function collateral(urls: WorldUrls): Promise<readonly number[]> {
  const response = await fetch(`${urls.venues.venue_a.dataApi}/activity?user=${USER}&type=DEPOSIT`);
  // rows of the Data API
  const rows = JSON.parse(await response.text()) as readonly { usdcSize: number }[];
  return rows.map(({ usdcSize }) => usdcSize);
}

/** Waits until no process has this id: signal 0 asks without touching it. */
async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
