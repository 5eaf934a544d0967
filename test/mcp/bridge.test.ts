import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { bridge } from '../../src/mcp/bridge/bridge.ts';

describe('a bridge whose key cannot be one', () => {
  it.each(['pk_half\nhalf', 'pk_\u00e9', '', `pk_${'x'.repeat(300)}`])(
    'says so in an answer to each message, and shows nothing of it: %j',
    async (key) => {
      const output = new PassThrough();
      const messages = [
        { jsonrpc: '2.0', id: 7, method: 'ping' },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
      ];
      const input = Readable.from(messages.map((message) => `${JSON.stringify(message)}\n`));
      await bridge({ input, output, url: 'http://127.0.0.1:1/mcp', key });
      output.end();
      const written = await text(output);
      expect(JSON.parse(written)).toMatchObject({ id: 7, error: { code: -32_000 } });
      expect(written).not.toContain('half');
      expect(written).not.toContain('pk_');
    },
  );
});
