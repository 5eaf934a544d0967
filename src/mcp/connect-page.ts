import { escapeHtml, htmlPage } from '../http/html.ts';
import type { Page } from '../http/page.ts';

/**
 * Returns where a host, as `Host` names it, is reached: whoever serves others does so by TLS, in
 * front of this process. The case of a host name says nothing (RFC 3986, section 3.2.2).
 */
export function originOf(host: string): string {
  const lower = host.toLowerCase();
  return `${/^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(lower) ? 'http' : 'https'}://${lower}`;
}

/** Makes the page for a user who opens `/mcp` in a browser: how to connect a client. */
export function connectPage(host: string): Page {
  const url = `${originOf(host)}/mcp`;
  const config = {
    mcpServers: {
      predictd: { type: 'http', url, headers: { Authorization: 'Bearer <API key>' } },
    },
  };
  return htmlPage(
    'Connect an assistant',
    [
      '<h1>Connect an assistant</h1>',
      '<p>This address speaks the Model Context Protocol over Streamable HTTP. It is for programs: a browser sees this page alone.</p>',
      '<dl>',
      '<dt>1. Make a key</dt><dd>In the application: API Keys, Create API Key. Give it no more than it needs. It is shown once.</dd>',
      `<dt>2. Tell your client</dt><dd><pre><code>${escapeHtml(JSON.stringify(config, null, 2))}</code></pre></dd>`,
      '<dt>3. Take it back whenever you like</dt><dd>Revoking the key ends all it can do, at once.</dd>',
      '</dl>',
    ].join('\n'),
  );
}
