import { htmlPage } from './html.ts';
import type { Page } from './page.ts';

/** Makes the page at the root: what answers here, and where to begin. */
export function startPage(): Page {
  return htmlPage(
    'predictd',
    `<h1>predictd</h1>
<p>One interface to prediction markets: live order books, orders by hand and by agents, over HTTP, WebSocket and MCP.</p>
<dl>
<dt><a href="/docs">/docs</a></dt><dd>The whole interface, to read and try; as OpenAPI at <a href="/openapi.json">/openapi.json</a>.</dd>
<dt>Token</dt><dd>Calls take <code>Authorization: Bearer</code> and a token. A sandbox keeps one of its demo user in the file <code>demo-token</code> of its data folder (<code>.predictd/demo-token</code>), good for 15 minutes and kept fresh; its terminal shows it too. Elsewhere, and for a user of your own, sign in: <code>POST /api/auth/otp/request</code>.</dd>
<dt><code>/ws</code></dt><dd>Live books, prices, orders and agents, with the same token.</dd>
<dt><code>/mcp</code></dt><dd>Tools for assistants, with an API key: <code>POST /api/user/keys/</code>.</dd>
<dt><a href="/readyz">/readyz</a></dt><dd>Whether the service can do its work.</dd>
</dl>`,
  );
}
