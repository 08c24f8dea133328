import type { Log, Notification, ReportingDescriptor, Result } from 'sarif';
import { readVersion } from '#base/runtime';
import { type Scan, statesOf } from '../scanned.ts';
import type { CodePlace } from '../search/place.ts';
import { REASONS, type Unsearched, isLost } from '../search/unsearched.ts';

const RULES = {
  active: { id: 'feature', text: 'The code names a feature.', level: 'note' },
  archived: { id: 'archived-feature', text: 'The code names an archived feature.', level: 'warning' },
  unknown: { id: 'unknown-feature', text: 'The code names a feature that does not exist.', level: 'warning' },
} as const;

/** For code scanning: SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html). */
export function sarifOf(scan: Scan): string {
  const states = statesOf(scan);
  const { repository, branch, commit, places, files } = scan;
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'flagmeter',
            version: readVersion(),
            rules: Object.values(RULES).map(toDescriptor),
          },
        },
        ...(repository === undefined
          ? {}
          : {
              versionControlProvenance: [
                {
                  repositoryUri: `https://${encodePath(repository)}`,
                  ...(commit === undefined ? {} : { revisionId: commit }),
                  ...(branch === undefined ? {} : { branch }),
                },
              ],
            }),
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: files.unsearched.map(toNotification),
          },
        ],
        results: places.map((place) => toResult(place, RULES[states.get(place.name) ?? 'unknown'])),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}

type Rule = (typeof RULES)[keyof typeof RULES];

function toDescriptor({ id, text, level }: Rule): ReportingDescriptor {
  return { id, shortDescription: { text }, defaultConfiguration: { level } };
}

function toResult({ name, path, line, column, kind }: CodePlace, { id, text, level }: Rule): Result {
  return {
    ruleId: id,
    level,
    message: { text: `${text} ${name} (${kind})` },
    locations: [{ physicalLocation: { ...toFile(path), region: { startLine: line, startColumn: column } } }],
  };
}

function toNotification(file: Unsearched): Notification {
  return {
    level: isLost(file) ? 'warning' : 'note',
    message: { text: `Not searched: ${REASONS[file.reason]}` },
    locations: [{ physicalLocation: toFile(file.path) }],
  };
}

function toFile(path: string) {
  return { artifactLocation: { uri: encodePath(path), uriBaseId: '%SRCROOT%' } };
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
