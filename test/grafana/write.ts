// Writes what the tables give: config/grafana/dashboards, and each alert's runbook_url.
//   node --import ./test/support/typescript-loader.mjs test/grafana/write.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { withRunbookUrls } from '../alerts/runbook.ts';
import { RULES_FILE } from '../alerts/rules-file.ts';
import { BOARDS } from './boards/table.ts';
import { fileOf, textOf } from './dashboard-files.ts';

for (const board of BOARDS) writeFileSync(fileOf(board), textOf(board));
writeFileSync(RULES_FILE, withRunbookUrls(readFileSync(RULES_FILE, 'utf8')));
