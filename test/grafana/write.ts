// Writes what the tables give: config/grafana/dashboards, each alert's runbook_url, the rules of
// promises.
//   node --import ./test/support/typescript-loader.mjs test/grafana/write.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { withRunbookUrls } from '../alerts/runbook.ts';
import { RULES_FILE, SLO_RULES_FILE } from '../alerts/rules-file.ts';
import { sloRules } from '../alerts/slo-rules.ts';
import { BOARDS } from './boards/table.ts';
import { fileOf, textOf } from './dashboard-files.ts';

for (const board of BOARDS) writeFileSync(fileOf(board), textOf(board));
writeFileSync(SLO_RULES_FILE, sloRules());
writeFileSync(RULES_FILE, withRunbookUrls(readFileSync(RULES_FILE, 'utf8')));
