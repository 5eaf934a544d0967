import { readFile } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import { builtData } from './built-data.ts';
import { Page } from './page.ts';

/** Nothing from elsewhere: scripts and styles of this daemon alone, and calls to it alone. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const START = `window.addEventListener('load', () => {
  SwaggerUIBundle({ url: '/openapi.json', dom_id: '#viewer', deepLinking: true, docExpansion: 'none', displayOperationId: true, validatorUrl: null, persistAuthorization: false });
});
`;

const HTML = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>predictd</title><link rel="stylesheet" href="/docs/viewer.css"></head>
<body><div id="viewer"></div><noscript><a href="/openapi.json">The interface as an OpenAPI document</a></noscript><script src="/docs/viewer.js"></script><script src="/docs/start.js"></script></body></html>
`;

/**
 * Files of the viewer by the name they are served under; those of its package are read from where
 * the build has put them.
 */
const FILES = {
  'viewer.js': {
    type: 'text/javascript; charset=utf-8',
    built: 'viewer/swagger-ui-bundle.js',
  },
  'viewer.css': { type: 'text/css; charset=utf-8', built: 'viewer/swagger-ui.css' },
  'start.js': { type: 'text/javascript; charset=utf-8', text: START },
} as const;

/** Names of the files of the viewer. */
export const VIEWER_FILES: readonly string[] = Object.keys(FILES);

/** Makes the page that shows the interface. */
export function viewerPage(): Page {
  return new Page('text/html; charset=utf-8', HTML, { 'Content-Security-Policy': POLICY });
}

/** Files that were asked for: at most those of FILES. */
const pages = new Map<string, Promise<Page>>();

/** Reads a file of the viewer, once. Errors: `not_found`. */
export function viewerFile(name: string): Promise<Page> {
  const page = pages.get(name) ?? readViewerFile(name);
  if (VIEWER_FILES.includes(name)) pages.set(name, page);
  return page;
}

async function readViewerFile(name: string): Promise<Page> {
  const file = Object.entries(FILES).find(([known]) => known === name)?.[1];
  if (file === undefined)
    throw new AppError('not_found', `the viewer has ${VIEWER_FILES.join(', ')}`);
  return new Page(file.type, 'text' in file ? file.text : await readFile(builtData(file.built)));
}
