import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { preferredType } from '../accept.ts';
import { publicRoute } from '../route.ts';
import { startPage } from '../start-page.ts';
import { VIEWER_FILES, viewerFile, viewerPage } from '../viewer.ts';

/** The interface to read and try in a browser. */
export const docsRoutes = [
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/',
    budget: 'reads',
    produces: ['text/html'],
    operationId: 'showStart',
    summary: 'What answers here, and where to begin',
    description: 'A page; `not_found` where `Accept` prefers JSON.',
    output: null,
    errors: ['not_found'],
    run: ({ header }) => {
      const wanted = preferredType(header('accept'), ['text/html', 'application/json']);
      if (wanted === 'text/html') return startPage();
      throw new AppError('not_found', 'no route for GET /');
    },
  }),
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/docs',
    budget: 'reads',
    cacheControl: 'no-cache',
    produces: ['text/html'],
    operationId: 'showDocs',
    summary: 'The interface to read and try in a browser',
    description: 'Shows `/openapi.json`. Everything the page needs comes from this daemon.',
    output: null,
    run: () => viewerPage(),
  }),
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/docs/:file',
    budget: 'reads',
    cacheControl: 'public, max-age=3600',
    produces: ['text/javascript', 'text/css'],
    operationId: 'getDocsFile',
    summary: 'A file of that page',
    description: 'Scripts and styles of the page at `/docs`.',
    params: z.object({
      file: z
        .string()
        .regex(/^[a-z]+\.[a-z]+$/, `one of ${VIEWER_FILES.join(', ')}`)
        .meta({ description: `One of ${VIEWER_FILES.join(', ')}.`, examples: [VIEWER_FILES[0]] }),
    }),
    output: null,
    errors: ['not_found'],
    run: (_context, { params }) => viewerFile(params.file),
  }),
];
