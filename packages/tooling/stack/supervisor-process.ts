// The detached process behind `up`: supervisor-process.ts DIRECTORY NICE SETTINGS PORT PORT PORT PORT, the settings of
// the engines as JSON and the ports in the order of portList.
// Its launcher reads its output. At SIGTERM it stops the engines and ends.
import { print } from './install/install-once.ts';
import type { EngineSettings } from './engines/engine-settings.ts';
import { portsFromList } from './processes/ports.ts';
import { superviseUntilSignal } from './supervisor.ts';

const [directory = '', nice, settings = '{}', ...portTexts] = process.argv.slice(2);
const report = (line: string) => {
  print(`${new Date().toISOString()} ${line}`);
};
try {
  const ports = portsFromList(portTexts.map(Number));
  const engines = JSON.parse(settings) as EngineSettings; // of its launcher
  await superviseUntilSignal({ directory, ports, clickhouseNice: Number(nice), engines, report });
} catch (error) {
  print(`failed: ${error instanceof Error ? error.message : String(error)}`);
  // Otherwise it would wait for its signal, and its launcher for the addresses.
  process.exit(1);
}
