import { Command } from 'commander';
import { type Finding, examine } from '#tooling/operations';
import { type Config, amountOf, createLog } from '#base/runtime';

/** Exit codes. A warning needs attention some day, and does not fail a script. */
const EXIT = { fine: 0, failed: 1 } as const;

export function createDoctorCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command()
    .option('--json', 'print the results as one JSON document')
    .option('--backup-disk <name>', 'check also this disk of ClickHouse, for flagmeter backup')
    .action(async ({ json = false, backupDisk }: { json?: boolean; backupDisk?: string }) => {
      const findings = await examine(readConfig(), createLog('cli', 'error'), { backupDisk });
      const failed = findings.filter(({ state }) => state === 'fail').length;
      process.exitCode = failed === 0 ? EXIT.fine : EXIT.failed;
      if (json) console.log(JSON.stringify({ isFine: failed === 0, checks: findings }, undefined, 2));
      else for (const line of [...findings.map(lineOf), resultOf(findings)]) console.log(line);
    });
}

function lineOf({ state, check, text, advice }: Finding): string {
  return `${state.padEnd(4)}  ${check}: ${text}${advice === undefined ? '' : ` ${advice}`}`;
}

export function resultOf(findings: readonly Pick<Finding, 'state'>[]): string {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  return `${amountOf(findings.length, 'check')}: ${count('ok')} ok, ${amountOf(count('warn'), 'warning')}, ${amountOf(count('fail'), 'failure')}.`;
}
