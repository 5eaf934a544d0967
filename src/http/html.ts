import { createHash } from 'node:crypto';
import { Page } from './page.ts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}h1{font-size:1.4rem}code{background:#eef1f4;padding:.1em .3em;border-radius:3px}dt{font-weight:600;margin-top:1rem}dd{margin:0}@media(prefers-color-scheme:dark){body{color:#e6e9ec;background:#16191d}code{background:#2a2f36}a{color:#8ab4f8}}';
/** Nothing but this one style: no script, no form, no picture, no frame. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** Makes a plain page. `body` is HTML: texts in it went through `escapeHtml`. */
export function htmlPage(title: string, body: string): Page {
  const html = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>\n${body}\n</body></html>\n`;
  return new Page('text/html; charset=utf-8', html, { 'Content-Security-Policy': POLICY });
}

/** Returns a text that HTML shows as it is. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
