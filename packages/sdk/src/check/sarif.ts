import { CODES, type Severity } from '../curation/check-codes.ts';
import type { CheckReport } from './check.ts';

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'note' };

/** Formats a report as SARIF 2.1.0, which code hosts can display. */
export function sarifOf({ problems }: CheckReport, version: string): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'bindery library check',
            version,
            rules: Object.entries(CODES).map(([id, severity]) => ({
              id,
              defaultConfiguration: { level: LEVELS[severity] },
            })),
          },
        },
        results: problems.map(({ code, severity, asset, file, line, message }) => ({
          ruleId: code,
          level: LEVELS[severity],
          message: { text: `${asset}: ${message}` },
          locations:
            file === null
              ? []
              : [
                  {
                    physicalLocation: {
                      artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
                      ...(line === null ? {} : { region: { startLine: line } }),
                    },
                  },
                ],
        })),
      },
    ],
  };
}
