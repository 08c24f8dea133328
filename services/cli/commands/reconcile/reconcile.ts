import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { type AccountingDocument, type AccountingReader, documentOf, parseSince } from '#core/accounting';
import { openWholeAccounting } from '#unleash/history';
import { type Config, FlagmeterError, createLog } from '#base/runtime';
import { WATCH_HEADER, accountingText, watchLine } from './accounting-text.ts';

/** Exit codes. An outage has its own code, so that a script does not mistake it for a difference. */
const EXIT = { agree: 0, differ: 1, unknown: 2 } as const;
const WATCH_PAUSE_MS = 5000;
const LINES_PER_HEADER = 20;

type Options = { readonly since?: string; readonly json?: boolean; readonly watch?: boolean };

export function createReconcileCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command()
    .option(
      '--since <time>',
      'only blocks stored since this time, and days that began since: 24h, 7d, a date, a date and time',
    )
    .option('--json', 'print the accounting as one JSON document; with --watch one per line')
    .option('--watch', 'read every 5 seconds until Ctrl-C, and show the changes')
    .action(async ({ since, json = false, watch = false }: Options) => {
      process.exitCode = EXIT.unknown; // until the accounting is read
      const reading = { since: timeOf(since), json };
      // Only errors are logged, because warnings of kafkajs would appear within the JSON.
      const accounting = openWholeAccounting(readConfig(), createLog('cli', 'error'));
      try {
        if (watch) await watchAccounting({ ...reading, accounting });
        else await printAccounting({ ...reading, accounting });
      } finally {
        await accounting.close();
      }
    });
}

function timeOf(since: string | undefined): number | undefined {
  if (since === undefined) return undefined;
  const time = parseSince(since, Date.now());
  if (time !== undefined) return time;
  const message = '--since must be a time in the past: 90m, 24h, 7d, 2026-11-20, 2026-11-20T06:30 (UTC)';
  throw new FlagmeterError('usage', message);
}

type Reading = {
  readonly accounting: AccountingReader;
  readonly since: number | undefined;
  readonly json: boolean;
};

async function printAccounting(reading: Reading): Promise<void> {
  const document = await readDocument(reading);
  console.log(reading.json ? JSON.stringify(document, undefined, 2) : accountingText(document));
}

/** Watches until Ctrl-C, which may end it at any time because it only reads. The exit code is the one of the last reading. */
async function watchAccounting(reading: Reading): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit());
  let before: AccountingDocument | undefined;
  for (let line = 0; ; line += 1) {
    if (!reading.json && line % LINES_PER_HEADER === 0) console.log(WATCH_HEADER);
    try {
      const document = await readDocument(reading);
      console.log(reading.json ? JSON.stringify(document) : watchLine(document, before));
      before = document;
    } catch (error) {
      process.exitCode = EXIT.unknown;
      const at = new Date().toISOString();
      const message = error instanceof Error ? error.message : String(error);
      console.log(reading.json ? JSON.stringify({ at, error: message }) : `${at.slice(11, 19)}  ${message}`);
    }
    await sleep(WATCH_PAUSE_MS);
  }
}

async function readDocument({ accounting, since }: Reading): Promise<AccountingDocument> {
  const document = documentOf(await accounting.readAgreed({ since }), since);
  process.exitCode = document.isBalanced ? EXIT.agree : EXIT.differ;
  return document;
}
