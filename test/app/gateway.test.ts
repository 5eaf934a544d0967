import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/schema.ts';
import { openEngine, type Engine } from '../../src/adapters/postgres/engine.ts';
import { openDirectory } from '../../src/adapters/postgres/user-directory.ts';
import { runGateway } from '../../src/app/gateway.ts';
import { slotText } from '../../src/domain/slot.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../support/fixtures/postgres.ts';

describe.skipIf(NO_POSTGRES !== null)('the role gateway', () => {
  let postgres: Postgres;
  let engine: Engine;
  let gateway: Gateway;
  const owners: Server[] = [];
  const addresses: string[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
    engine = await openEngine({ urls: [postgres.url], tls: null }, 'a test');
    for (const shard of [0, 1]) {
      const server = createServer((_call, response) => void response.end(`{"shard":${shard}}`));
      owners.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      addresses.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    await openDirectory(engine, { shard: 0, shards: 1 });
    await engine.ask("insert into shard values (0, 1, 0, 'one', 0, $1)", [addresses[0]]);
    gateway = await runGateway(
      readEnvironment({ PREDICTD_LOG_URLS: postgres.url, PREDICTD_PORT: '0' }),
      '0',
    );
  });
  afterAll(async () => {
    await gateway.close();
    for (const server of owners) {
      server.closeAllConnections();
      server.close();
    }
    await engine.close();
    await postgres.end();
  });

  const shardOf = async (slot: number): Promise<unknown> => {
    const token = await new SignJWT({ sub: `usr_${slotText(slot)}0123` })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new Uint8Array(32));
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${gateway.url}/api/portfolio/`, { headers })).json();
  };

  it('reads the slots anew once a split has made another shard', async () => {
    expect([await shardOf(6), await shardOf(7)]).toEqual([{ shard: 0 }, { shard: 0 }]);
    await engine.ask(
      `with made as (insert into shard values (1, 1, 0, 'two', 0, $1))
       update slot set shard = 1 where slot % 2 = 1`,
      [addresses[1]],
    );
    await expect.poll(() => shardOf(7)).toEqual({ shard: 1 });
    expect(await shardOf(6)).toEqual({ shard: 0 });
  });
});
